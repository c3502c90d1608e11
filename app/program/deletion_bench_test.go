package program_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// deletedObjects is how many objects the benchmarks of deletions have.
const deletedObjects = 1000

// BenchmarkDeletion measures how long it takes until 1,000 objects are gone, controllers on, from the request that deletes
// what they hang on: their namespace, or the root of a cascade of three levels, in the background and in the foreground.
// cpu-ms is what the process, clients included, has worked meanwhile. Compare with the goal: under two seconds.
//
//	go test ./app -run '^$' -bench Deletion -benchtime 3x
func BenchmarkDeletion(b *testing.B) {
	b.Run("namespace", func(b *testing.B) { benchmarkDeletion(b, plantNamespace) })
	b.Run("background", func(b *testing.B) {
		benchmarkDeletion(b, func(b *testing.B, url string, i int) (string, []string) { return plantCascade(b, url, i, "Background") })
	})
	b.Run("foreground", func(b *testing.B) {
		benchmarkDeletion(b, func(b *testing.B, url string, i int) (string, []string) { return plantCascade(b, url, i, "Foreground") })
	})
}

// benchmarkDeletion has plant create objects; it tells what to delete, and which lists are empty, or not there, at the end.
func benchmarkDeletion(b *testing.B, plant func(b *testing.B, url string, i int) (root string, empty []string)) {
	p := programtest.MustStartConfig(b, program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(b.TempDir(), "k.db"), History: time.Minute, Sync: "full", Controllers: controllers.All()})
	var worked time.Duration
	var wall time.Duration
	for i := range b.N {
		root, empty := plant(b, p.URL, i)
		time.Sleep(500 * time.Millisecond) // until the collector has seen all
		start, cpu := time.Now(), programtest.CPUTime()
		programtest.MustCall(b, 200, "DELETE", root, "", "")
		for _, url := range empty {
			for !isEmpty(b, url) {
				time.Sleep(10 * time.Millisecond)
			}
		}
		wall += time.Since(start)
		worked += programtest.CPUTime() - cpu
	}
	b.ReportMetric(float64(wall.Milliseconds())/float64(b.N), "ms-until-gone")
	b.ReportMetric(float64(worked.Milliseconds())/float64(b.N), "cpu-ms")
}

// isEmpty tells whether there is nothing at a URL: no object, or a list without items.
func isEmpty(b *testing.B, url string) bool {
	code, text := programtest.Call(b, "GET", url, "", "")
	return code == 404 || code == 200 && text[len(text)-len(`"items":[]}`)-1:] == "\"items\":[]}\n"
}

// plantNamespace makes a namespace with objects of four kinds.
func plantNamespace(b *testing.B, url string, i int) (root string, empty []string) {
	root = fmt.Sprintf("%s/api/v1/namespaces/n%d", url, i)
	programtest.MustCall(b, 201, "POST", url+"/api/v1/namespaces", programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, i))
	atOnce(deletedObjects, func(j int) {
		switch name := fmt.Sprintf(`{"metadata":{"name":"o%d"}`, j); j % 4 {
		case 0:
			programtest.MustCall(b, 201, "POST", root+"/configmaps", programtest.JSONType, name+`}`)
		case 1:
			programtest.MustCall(b, 201, "POST", root+"/secrets", programtest.JSONType, name+`}`)
		case 2:
			programtest.MustCall(b, 201, "POST", root+"/services", programtest.JSONType, name+`,"spec":{"ports":[{"port":80}]}}`)
		case 3:
			programtest.MustCall(b, 201, "POST", root+"/pods", programtest.JSONType, name+`,"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		}
	})
	return root, []string{root}
}

// plantCascade makes one root with 30 children, whose leaves fill up the number.
func plantCascade(b *testing.B, url string, i int, policy string) (root string, empty []string) {
	const children = 30
	ns := url + "/api/v1/namespaces/default"
	uid := mustOwned(b, ns, "root", "")
	owners := make([]string, children)
	atOnce(children, func(j int) { owners[j] = mustOwned(b, ns, fmt.Sprintf("child%d", j), "", ref("root", uid, true)) })
	atOnce(deletedObjects-children-1, func(j int) {
		mustOwned(b, ns, fmt.Sprintf("leaf%d", j), "", ref(fmt.Sprintf("child%d", j%children), owners[j%children], true))
	})
	return ns + "/configmaps/root?propagationPolicy=" + policy, []string{ns + "/configmaps?fieldSelector=metadata.name%21%3Dkube-root-ca.crt"}
}

// atOnce does something n times, eight at a time.
func atOnce(n int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, 8)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			do(i)
			<-free
		})
	}
	all.Wait()
}
