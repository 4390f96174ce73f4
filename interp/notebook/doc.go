// Package notebook reads and writes files of cells: .go files whose cells are
// separated by lines that begin with "// %%", and Jupyter notebooks.
//
// It imports nothing of the project.
package notebook
