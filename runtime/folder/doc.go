// Package folder knows where a person's files lie, gonterp's own and Jupyter's, so
// that the kernel and the terminal, the installation and its doctor look in the same
// places.
//
// It imports nothing of the project.
package folder
