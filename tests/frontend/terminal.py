console=None
