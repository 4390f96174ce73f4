//go:build unix

package symbols

import (
	"reflect"
	"strconv"
	"syscall"

	"github.com/gonterp/gonterp/interp/exports"
)

// Package syscall differs between processors and systems, so a generated table
// would build on one of them only. This is the part that cells use: files,
// processes and signals, the same everywhere.
func init() {
	packages = append(packages, exports.Package{Path: "syscall", Name: "syscall", Symbols: func() map[string]reflect.Value {
		return map[string]reflect.Value{
			"Close":       reflect.ValueOf(syscall.Close),
			"Dup":         reflect.ValueOf(syscall.Dup),
			"Environ":     reflect.ValueOf(syscall.Environ),
			"Errno":       reflect.ValueOf((*syscall.Errno)(nil)),
			"Exec":        reflect.ValueOf(syscall.Exec),
			"Getenv":      reflect.ValueOf(syscall.Getenv),
			"Getpid":      reflect.ValueOf(syscall.Getpid),
			"Getppid":     reflect.ValueOf(syscall.Getppid),
			"Getuid":      reflect.ValueOf(syscall.Getuid),
			"Getwd":       reflect.ValueOf(syscall.Getwd),
			"Kill":        reflect.ValueOf(syscall.Kill),
			"Mkdir":       reflect.ValueOf(syscall.Mkdir),
			"Open":        reflect.ValueOf(syscall.Open),
			"Pipe":        reflect.ValueOf(syscall.Pipe),
			"Read":        reflect.ValueOf(syscall.Read),
			"Seek":        reflect.ValueOf(syscall.Seek),
			"Signal":      reflect.ValueOf((*syscall.Signal)(nil)),
			"Stat":        reflect.ValueOf(syscall.Stat),
			"Stat_t":      reflect.ValueOf((*syscall.Stat_t)(nil)),
			"Stderr":      reflect.ValueOf(&syscall.Stderr).Elem(),
			"Stdin":       reflect.ValueOf(&syscall.Stdin).Elem(),
			"Stdout":      reflect.ValueOf(&syscall.Stdout).Elem(),
			"SysProcAttr": reflect.ValueOf((*syscall.SysProcAttr)(nil)),
			"Unlink":      reflect.ValueOf(syscall.Unlink),
			"WaitStatus":  reflect.ValueOf((*syscall.WaitStatus)(nil)),
			"Write":       reflect.ValueOf(syscall.Write),

			"EAGAIN":  reflect.ValueOf(syscall.EAGAIN),
			"EINTR":   reflect.ValueOf(syscall.EINTR),
			"EINVAL":  reflect.ValueOf(syscall.EINVAL),
			"ENOENT":  reflect.ValueOf(syscall.ENOENT),
			"EPIPE":   reflect.ValueOf(syscall.EPIPE),
			"SIGHUP":  reflect.ValueOf(syscall.SIGHUP),
			"SIGINT":  reflect.ValueOf(syscall.SIGINT),
			"SIGKILL": reflect.ValueOf(syscall.SIGKILL),
			"SIGQUIT": reflect.ValueOf(syscall.SIGQUIT),
			"SIGTERM": reflect.ValueOf(syscall.SIGTERM),
			"SIGUSR1": reflect.ValueOf(syscall.SIGUSR1),
			"SIGUSR2": reflect.ValueOf(syscall.SIGUSR2),

			"O_APPEND": exports.Untyped(strconv.Itoa(syscall.O_APPEND)),
			"O_CREAT":  exports.Untyped(strconv.Itoa(syscall.O_CREAT)),
			"O_RDONLY": exports.Untyped(strconv.Itoa(syscall.O_RDONLY)),
			"O_RDWR":   exports.Untyped(strconv.Itoa(syscall.O_RDWR)),
			"O_TRUNC":  exports.Untyped(strconv.Itoa(syscall.O_TRUNC)),
			"O_WRONLY": exports.Untyped(strconv.Itoa(syscall.O_WRONLY)),
		}
	}})
}
