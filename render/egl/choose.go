package egl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// context is what choosing needs of an open context; tests stand in for it.
type context interface{ close() }

type opener func(candidate) (context, Info, error)

// choose opens the context that the configuration asks for. On "auto" a device
// that fails is skipped; one that was named never is.
func choose(cfg Config, adapters []Adapter, open opener) (context, Info, error) {
	switch want := strings.TrimSpace(cfg.Device); {
	case want == "" || want == "auto":
		return auto(adapters, open)
	case want == "software":
		return first(software(adapters), open)
	default:
		fit, err := named(want, adapters, open)
		if err != nil {
			return nil, Info{}, err
		}
		return first([]candidate{{PlatformDevice, fit}}, open)
	}
}

// auto takes the GPU that CUDA would take, else the only GPU that works, else
// software.
func auto(adapters []Adapter, open opener) (context, Info, error) {
	var failed error
	for _, a := range adapters {
		if a.CUDA != 0 {
			continue
		}
		c, info, err := open(candidate{PlatformDevice, a})
		if err == nil {
			return c, info, nil
		}
		failed = errors.Join(failed, err)
	}
	c, info, err := onlyGPU(adapters, open)
	if c != nil || errors.Is(err, ErrAmbiguous) {
		return c, info, err
	}
	failed = errors.Join(failed, err)
	c, info, err = first(software(adapters), open)
	if err != nil {
		return nil, Info{}, errors.Join(failed, err)
	}
	return c, info, nil
}

// onlyGPU opens the one GPU that works, other than CUDA's first, which has
// failed already. Two entries with one DRM node are one GPU under two drivers.
func onlyGPU(adapters []Adapter, open opener) (context, Info, error) {
	var won context
	var info Info
	var failed error
	for _, a := range adapters {
		if a.Software || a.CUDA == 0 || (won != nil && a.Node != "" && a.Node == info.Adapter.Node) {
			continue
		}
		c, i, err := open(candidate{PlatformDevice, a})
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if won != nil {
			c.close()
			won.close()
			return nil, Info{}, fmt.Errorf("cannot choose between %s and %s: %w: name one with --device",
				info.Adapter, a, ErrAmbiguous)
		}
		won, info = c, i
	}
	return won, info, failed
}

// software lists what is left when no GPU is wanted or works: software devices,
// then the displays that name no device.
func software(adapters []Adapter) []candidate {
	var out []candidate
	for _, a := range adapters {
		if a.Software {
			out = append(out, candidate{PlatformDevice, a})
		}
	}
	none := Adapter{Index: -1, CUDA: -1}
	return append(out, candidate{PlatformSurfaceless, none}, candidate{PlatformDefault, none})
}

// first opens the first candidate that works.
func first(list []candidate, open opener) (context, Info, error) {
	var failed error
	for _, c := range list {
		ctx, info, err := open(c)
		if err == nil {
			return ctx, info, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, Info{}, failed
}

// named finds the adapter that a user's word means.
func named(want string, adapters []Adapter, open opener) (Adapter, error) {
	var fit []Adapter
	switch n, err := strconv.Atoi(want); {
	case err == nil:
		fit = byIndex(n, adapters)
	case strings.HasPrefix(want, "/"):
		fit = pick(adapters, func(a Adapter) bool { return a.Node == want })
	default:
		fit = byUUID(want, adapters, open)
	}
	switch len(fit) {
	case 0:
		return Adapter{}, fmt.Errorf("cannot find device %q: %w: EGL lists %s; want auto, software, an index, a UUID or a DRM node",
			want, ErrNoDevice, list(adapters))
	case 1:
		return fit[0], nil
	}
	return Adapter{}, fmt.Errorf("cannot choose device %q: %w: %s", want, ErrAmbiguous, list(fit))
}

// byIndex reads n as CUDA counts where any device carries a CUDA number: EGL's
// order is not CUDA's, and a user of several GPUs knows CUDA's.
func byIndex(n int, adapters []Adapter) []Adapter {
	if len(pick(adapters, func(a Adapter) bool { return a.CUDA >= 0 })) > 0 {
		return pick(adapters, func(a Adapter) bool { return a.CUDA == n })
	}
	return pick(adapters, func(a Adapter) bool { return a.Index == n })
}

// byUUID compares digits only. Where EGL does not tell a device's UUID, GL may:
// then the device is opened to ask.
func byUUID(want string, adapters []Adapter, open opener) []Adapter {
	want = strings.ToLower(strings.ReplaceAll(want, "-", ""))
	want = strings.TrimPrefix(want, "gpu")
	if want == "" {
		return nil
	}
	return pick(adapters, func(a Adapter) bool {
		if a.UUID == "" {
			c, info, err := open(candidate{PlatformDevice, a})
			if err != nil {
				return false
			}
			c.close()
			a.UUID = info.Adapter.UUID
		}
		return strings.HasPrefix(a.UUID, want)
	})
}

func pick(list []Adapter, keep func(Adapter) bool) []Adapter {
	var out []Adapter
	for _, a := range list {
		if keep(a) {
			out = append(out, a)
		}
	}
	return out
}

func list(adapters []Adapter) string {
	if len(adapters) == 0 {
		return "no device"
	}
	names := make([]string, len(adapters))
	for i, a := range adapters {
		names[i] = "(" + a.String() + ")"
	}
	return strings.Join(names, ", ")
}
