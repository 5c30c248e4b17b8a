// Package hits counts visits.
package hits

import (
	"fmt"
	"net/http"
	"sync"
)

// Counter counts visits by path.
type Counter struct {
	mu     sync.Mutex
	visits map[string]int
}

// New makes a counter.
func New() *Counter {
	return &Counter{visits: make(map[string]int)}
}

// ServeHTTP counts a visit.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.visits[r.URL.Path]++
	fmt.Fprintln(w, c.visits[r.URL.Path])
}
