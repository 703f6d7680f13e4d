module cuzk/go-binding

go 1.22
