package merge

import (
	"io"
	"os"
)

// Files copies files one behind the other.
func Files(to io.Writer, paths []string) error {
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := Append(to, file); err != nil {
			return err
		}
	}
	return nil
}
