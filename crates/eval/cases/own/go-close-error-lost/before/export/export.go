// Package export writes reports to files.
package export

import (
	"encoding/csv"
	"fmt"
	"io"
)

// Row is one line of a report.
type Row struct {
	Name  string
	Cents int64
}

// Write writes the rows as CSV.
func Write(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		if err := out.Write([]string{row.Name, fmt.Sprint(row.Cents)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
