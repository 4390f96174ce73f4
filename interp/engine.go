package interp

import "github.com/gonterp/gonterp/interp/engine"

// An Engine runs checked cells; see its methods for what the session asks of it.
type Engine = engine.Engine
