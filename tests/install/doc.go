// Package install tests install.sh from outside: each test gives it a home of its own
// and looks at what it leaves there. No test downloads anything.
package install
