// Package spelling finds, for a name that is not there, those that may have been
// meant: tensors of a checkpoint, values of a model, names of a cell. One rule says
// everywhere how far a slip of the hand may go.
//
// It imports nothing of the project.
package spelling
