package elsewhere

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/flow"
)

// Frames are the same in whatever parts a stream comes, and a long one costs no more in small parts.
func TestWatch_parts(t *testing.T) {
	var lines, messages []byte
	for i, pad := range []int{0, 10, 100_000, 3} {
		object := fmt.Sprintf(`{"metadata":{"name":"n%d","resourceVersion":"%d"},"pad":%q}`, i, i+5, strings.Repeat("p", pad))
		lines = append(lines, `{"type":"ADDED","object":`+object+"}\n"...)
		event := metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: []byte(object)}}
		text, err := event.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		messages = append(binary.BigEndian.AppendUint32(messages, uint32(len(text))), text...)
	}
	for media, stream := range map[string][]byte{"application/json": append(lines, '\n'), "application/vnd.kubernetes.protobuf;stream=watch": messages} {
		for _, size := range []int{1, 7, 4096, len(stream)} {
			record, err := flow.NewWatch(flow.WatchInfo{}, flow.WatchState{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := NewWatch(record, media, time.Now)
			for rest := stream; len(rest) > 0; {
				n := min(size, len(rest))
				w.wrote(rest[:n])
				rest = rest[n:]
			}
			var names []string
			total := 0
			for _, f := range record.Frames() {
				names = append(names, f.Type+" "+f.Name)
				total += f.Size
			}
			if got := strings.Join(names, ", "); got != "ADDED n0, ADDED n1, ADDED n2, ADDED n3" || total < len(stream)-1 {
				t.Errorf("%s in parts of %d: %s, %d of %d bytes", media, size, got, total, len(stream))
			}
		}
	}
}
