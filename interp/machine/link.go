package machine

import "unsafe"

// Functions of the runtime that reflect itself uses; each works on a type
// descriptor and on memory.

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(p unsafe.Pointer) int32

//go:linkname typedmemmove reflect.typedmemmove
//go:noescape
func typedmemmove(t *rtype, dst, src unsafe.Pointer)

//go:linkname typedmemclr reflect.typedmemclr
//go:noescape
func typedmemclr(t *rtype, p unsafe.Pointer)

//go:linkname typedslicecopy reflect.typedslicecopy
//go:noescape
func typedslicecopy(elem *rtype, dst, src slice) int

//go:linkname newObject reflect.unsafe_New
func newObject(t *rtype) unsafe.Pointer

//go:linkname newArray reflect.unsafe_NewArray
func newArray(t *rtype, n int) unsafe.Pointer

//go:linkname growslice reflect.growslice
func growslice(elem *rtype, old slice, num int) slice

//go:linkname makemap reflect.makemap
func makemap(t *rtype, size int) unsafe.Pointer

//go:linkname mapaccess reflect.mapaccess
//go:noescape
func mapaccess(t *rtype, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapassign reflect.mapassign0
//go:noescape
func mapassign(t *rtype, m, key, value unsafe.Pointer)

//go:linkname mapdelete reflect.mapdelete
//go:noescape
func mapdelete(t *rtype, m, key unsafe.Pointer)

//go:linkname maplen reflect.maplen
//go:noescape
func maplen(m unsafe.Pointer) int

//go:linkname mapclear reflect.mapclear
func mapclear(t *rtype, m unsafe.Pointer)

//go:linkname makechan reflect.makechan
func makechan(t *rtype, size int) unsafe.Pointer

//go:linkname chanrecv reflect.chanrecv
//go:noescape
func chanrecv(ch unsafe.Pointer, nonblocking bool, v unsafe.Pointer) (selected, received bool)

//go:linkname chansend reflect.chansend0
//go:noescape
func chansend(ch, v unsafe.Pointer, nonblocking bool) bool

//go:linkname chanclose reflect.chanclose
func chanclose(ch unsafe.Pointer)

//go:linkname chanlen reflect.chanlen
//go:noescape
func chanlen(ch unsafe.Pointer) int

//go:linkname chancap reflect.chancap
//go:noescape
func chancap(ch unsafe.Pointer) int
