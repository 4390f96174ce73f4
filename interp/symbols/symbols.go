package symbols

import (
	"reflect"

	"github.com/traefik/yaegi/stdlib"
)

// Tables returns the export tables of all built-in packages.
func Tables() []map[string]map[string]reflect.Value {
	return []map[string]map[string]reflect.Value{stdlib.Symbols}
}
