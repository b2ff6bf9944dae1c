// Package tidy holds tests that lint the tree: rules against vectors and tests, sizes, the purity
// of core, imports, names, and the golden list of the public surface. Each checker returns what it
// found, is run on the repository, and is run on a small sample that breaks its rule, so that a
// checker that has gone blind fails as well.
package tidy
