nbconvert=papermill=None
