// Package merge puts log files together.
package merge

import "io"

// Append copies one log behind another.
func Append(to io.Writer, from io.Reader) error {
	_, err := io.Copy(to, from)
	return err
}
