// Calls every method of a Kafka client for Go once, as tests/interop/foreign/conversation.py says.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
)

const limit = 15 * time.Second

// What a program is told: the cluster's addresses, and the names and numbers that the calls use.
type scene struct {
	servers []string
	topic   string
	group   string
	target  int32 // the broker that gets the replica of partition 0
	ghost   int32 // a fenced broker, which is unregistered
	input   *bufio.Scanner
	called  map[string]bool
}

type line struct {
	Call         string   `json:"call,omitempty"`
	Method       string   `json:"method,omitempty"`
	Outcome      string   `json:"outcome,omitempty"`
	Code         int      `json:"code,omitempty"`
	Text         string   `json:"text,omitempty"`
	Milliseconds int64    `json:"milliseconds"`
	Uncalled     []string `json:"uncalled"`
}

func main() {
	target, _ := strconv.Atoi(os.Args[4])
	ghost, _ := strconv.Atoi(os.Args[5])
	s := &scene{
		servers: strings.Split(os.Args[2], ","),
		topic:   os.Args[3],
		group:   os.Args[3] + "-group",
		target:  int32(target),
		ghost:   int32(ghost),
		input:   bufio.NewScanner(os.Stdin),
		called:  map[string]bool{},
	}
	map[string]func(*scene){"franz-go": franz, "sarama": saramaCalls, "kafka-go": kafkaGo}[os.Args[1]](s)
}

// Makes one call, prints its outcome, and waits for the reader to have checked the cluster.
func (s *scene) call(call, method string, ask func(context.Context) (any, error)) {
	context_, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s.called[method] = true
	begin := time.Now()
	ended := make(chan error, 1)
	go func() {
		response, err := ask(context_)
		if err == nil {
			err = firstError(reflect.ValueOf(response), 0)
		}
		ended <- err
	}()
	said := line{Call: call, Method: method}
	select {
	case err := <-ended:
		said.Outcome, said.Code, said.Text = outcome(err)
	case <-time.After(limit):
		said.Outcome = "timeout"
	}
	said.Milliseconds = time.Since(begin).Milliseconds()
	s.say(said)
}

func (s *scene) say(said line) {
	text, _ := json.Marshal(said)
	fmt.Println(string(text))
	s.input.Scan()
}

// Names the exported methods of a client that neither were called nor are left out.
func (s *scene) complete(methods reflect.Type, leftOut ...string) {
	for _, name := range leftOut {
		s.called[name] = true
	}
	said := line{Uncalled: []string{}}
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; !s.called[name] {
			said.Uncalled = append(said.Uncalled, name)
		}
	}
	said.Outcome = "complete"
	s.say(said)
}

func outcome(err error) (string, int, string) {
	var ofFranz *kerr.Error
	var ofSarama sarama.KError
	var ofKafkaGo kafka.Error
	if ofMessages := (kafka.WriteErrors{}); errors.As(err, &ofMessages) {
		err = ofMessages[0]
	}
	switch {
	case err == nil:
		return "result", 0, ""
	case errors.As(err, &ofFranz):
		return "refusal", int(ofFranz.Code), err.Error()
	case errors.As(err, &ofSarama):
		return "refusal", int(ofSarama), err.Error()
	case errors.As(err, &ofKafkaGo):
		return "refusal", int(ofKafkaGo), err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", 0, err.Error()
	}
	return "error", 0, err.Error()
}

var errorType = reflect.TypeFor[error]()

// Returns the first error in the exported fields of a response.
func firstError(value reflect.Value, depth int) error {
	if depth > 9 || !value.IsValid() {
		return nil
	}
	if value.Type().Implements(errorType) && value.CanInterface() && !value.IsZero() {
		return value.Interface().(error)
	}
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		return firstError(value.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			if err := firstError(value.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if err := firstError(value.MapIndex(key), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if !value.Type().Field(i).IsExported() {
				continue
			}
			if err := firstError(value.Field(i), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
