// Package pyjson reads JSON as Python's json module does, for scorers that must behave like a
// published Python program. In: text. Out: values that keep what Python distinguishes: integers
// of any size and floats, NaN and infinities, the last of repeated keys. AppendText and
// AppendRepr print values as Python's str and repr do. It refuses what json.loads refuses,
// naming the exception, and what is nested too deep.
package pyjson

import (
	"math"
	"slices"
)

// Kind is the Python type of a value.
type Kind uint8

// The kinds, as Python calls them.
const (
	None Kind = iota
	Bool
	Int
	Float
	Str
	List
	Dict
)

// Value is one JSON value. It is read-only and shares memory with the text that
// it was read from and with the Reader that read it.
type Value struct {
	Kind Kind
	// F is the number: 1 and 0 for booleans, as in Python's arithmetic; the
	// nearest double for integers, an infinity where they are too large for one.
	F float64
	// S is the text of a Str, the digits of an Int, the literal of a Float ("" for
	// NaN and infinities).
	S string

	members *members // nil for an empty List or Dict and other kinds; a pointer keeps Value small
}

// members are the elements of a List, or the keys and values of a Dict.
type members struct {
	items []Value
	keys  []string
}

// Items returns the elements of a Python list, or the values of a dict; nil for other values.
func (value *Value) Items() []Value {
	if value.members == nil {
		return nil
	}
	return value.members.items
}

// Keys returns the keys of a Python dict, in the order of their first appearance; nil for other
// values.
func (value *Value) Keys() []string {
	if value.members == nil {
		return nil
	}
	return value.members.keys
}

// Number reports whether Python can compute with the value: it is a number or a boolean.
func (value *Value) Number() bool {
	return value.Kind == Bool || value.Kind == Int || value.Kind == Float
}

// TooLarge reports whether the value is an integer that no double holds: Python
// raises OverflowError where it must become one.
func (value *Value) TooLarge() bool { return value.Kind == Int && math.IsInf(value.F, 0) }

// Get returns the value of a key of a Python dict, or nil where there is none.
func (value *Value) Get(key string) *Value {
	i := slices.Index(value.Keys(), key)
	if i < 0 {
		return nil
	}
	return &value.members.items[i]
}

// True reports whether Python's bool() of the value is True: not for None, 0 and what is empty.
func (value *Value) True() bool {
	switch value.Kind {
	case None:
		return false
	case Str:
		return value.S != ""
	case List, Dict:
		return value.members != nil // not empty
	}
	return value.F != 0
}

// Exception is the class of exception that Python raises for a text that cannot be read.
type Exception string

// The classes that json.loads raises.
const (
	DecodeError    Exception = "JSONDecodeError"
	ValueError     Exception = "ValueError"     // an integer of more than 4300 digits
	RecursionError Exception = "RecursionError" // nested too deep
)

// Error implements error.
func (e Exception) Error() string { return "cannot read JSON as Python does: " + string(e) }
