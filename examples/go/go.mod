module example.org/fleet

go 1.21

require (
	github.com/twmb/franz-go v1.18.0
	github.com/twmb/franz-go/pkg/kmsg v1.11.2
)

require (
	github.com/klauspost/compress v1.17.8 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
)
