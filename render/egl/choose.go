package egl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// context is an open GL context; tests have a stand-in.
type context interface{ close() }

// opener opens a context on a display. It returns nil and an error where that fails.
type opener func(candidate) (context, Info, error)

// openChosen opens an OpenGL context, with open, on the one of the adapters that the configuration names. With
// "auto" a device that fails is skipped; a device that is named never is: its failure is the error.
func openChosen(cfg Config, adapters []Adapter, open opener) (context, Info, error) {
	switch want := strings.TrimSpace(cfg.Device); {
	case want == "" || want == "auto":
		return openAuto(adapters, open)
	case want == "software":
		return firstThatOpens(softwareCandidates(adapters), open)
	default:
		fit, err := adapterNamed(want, adapters, open)
		if err != nil {
			return nil, Info{}, err
		}
		return firstThatOpens([]candidate{{PlatformDevice, fit}}, open)
	}
}

// openAuto opens an OpenGL context on the GPU that CUDA would take, else on the only GPU that works,
// else on a software device. Several other GPUs that work are ErrAmbiguous. If nothing works, the
// error joins those of all that were tried.
func openAuto(adapters []Adapter, open opener) (context, Info, error) {
	context, info, failed := firstThatOpens(deviceCandidates(adapters, func(a Adapter) bool { return a.CUDA == 0 }), open)
	if context != nil {
		return context, info, nil
	}
	context, info, err := onlyGPU(adapters, open)
	if context != nil || errors.Is(err, ErrAmbiguous) {
		return context, info, err
	}
	failed = errors.Join(failed, err)
	context, info, err = firstThatOpens(softwareCandidates(adapters), open)
	if err != nil {
		return nil, Info{}, errors.Join(failed, err)
	}
	return context, info, nil
}

// onlyGPU opens the only GPU that works, without CUDA's first, which auto has tried. It returns
// nil where none works, and ErrAmbiguous where several do. Two adapters with the same DRM node
// are the same GPU under two drivers.
func onlyGPU(adapters []Adapter, open opener) (context, Info, error) {
	var found context
	var info Info
	var failed error
	for _, adapter := range adapters {
		if adapter.Software || adapter.CUDA == 0 || (found != nil && adapter.Node != "" && adapter.Node == info.Adapter.Node) {
			continue
		}
		c, opened, err := open(candidate{PlatformDevice, adapter})
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if found != nil {
			c.close()
			found.close()
			return nil, Info{}, fmt.Errorf("cannot choose between %s and %s: %w: name one with --device",
				info.Adapter, adapter, ErrAmbiguous)
		}
		found, info = c, opened
	}
	return found, info, failed
}

// deviceCandidates returns a candidate for a context for each adapter that keep accepts: its display without a
// window system.
func deviceCandidates(adapters []Adapter, keep func(Adapter) bool) (out []candidate) {
	for _, a := range filter(adapters, keep) {
		out = append(out, candidate{PlatformDevice, a})
	}
	return out
}

// softwareCandidates lists the displays to try where no GPU is wanted or works: software devices, then the
// displays that name no device.
func softwareCandidates(adapters []Adapter) []candidate {
	none := Adapter{Index: -1, CUDA: -1}
	return append(deviceCandidates(adapters, func(a Adapter) bool { return a.Software }),
		candidate{PlatformSurfaceless, none}, candidate{PlatformDefault, none})
}

// firstThatOpens opens an OpenGL context on the first candidate that works. It returns nil and all
// errors where none does, and nil without an error for an empty list.
func firstThatOpens(list []candidate, open opener) (context, Info, error) {
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

// adapterNamed returns the adapter that want, the value of --device, names: an index, a DRM node or
// the beginning of a UUID. None is ErrNoDevice and several are ErrAmbiguous, both with a list of
// them.
func adapterNamed(want string, adapters []Adapter, open opener) (Adapter, error) {
	var fit []Adapter
	n, err := strconv.Atoi(want)
	switch {
	case err == nil:
		fit = byIndex(n, adapters)
	case strings.HasPrefix(want, "/"):
		fit = filter(adapters, func(a Adapter) bool { return a.Node == want })
	default:
		fit = byUUID(want, adapters, open)
	}
	switch len(fit) {
	case 0:
		return Adapter{}, fmt.Errorf("cannot find device %q: %w: EGL lists %s; want auto, software, an index, a UUID or a DRM node",
			want, ErrNoDevice, describeAdapters(adapters))
	case 1:
		return fit[0], nil
	}
	return Adapter{}, fmt.Errorf("cannot choose device %q: %w: %s", want, ErrAmbiguous, describeAdapters(fit))
}

// byIndex returns the adapters with the number n: CUDA's number where any adapter has one, else the
// position in EGL's list. The two orders differ, and users of several GPUs know CUDA's.
func byIndex(n int, adapters []Adapter) []Adapter {
	if len(filter(adapters, func(a Adapter) bool { return a.CUDA >= 0 })) > 0 {
		return filter(adapters, func(a Adapter) bool { return a.CUDA == n })
	}
	return filter(adapters, func(a Adapter) bool { return a.Index == n })
}

// byUUID returns the adapters whose UUID begins with the digits of want. Hyphens and a leading
// "GPU" do not count. Where EGL does not tell an adapter's UUID, a context is opened on it,
// because GL may.
func byUUID(want string, adapters []Adapter, open opener) []Adapter {
	want = strings.ToLower(strings.ReplaceAll(want, "-", ""))
	want = strings.TrimPrefix(want, "gpu")
	if want == "" {
		return nil
	}
	return filter(adapters, func(adapter Adapter) bool {
		if adapter.UUID == "" {
			context, info, err := open(candidate{PlatformDevice, adapter})
			if err != nil {
				return false
			}
			context.close()
			adapter.UUID = info.Adapter.UUID
		}
		return strings.HasPrefix(adapter.UUID, want)
	})
}

// filter returns the adapters that keep accepts.
func filter(list []Adapter, keep func(Adapter) bool) []Adapter {
	return slices.DeleteFunc(slices.Clone(list), func(a Adapter) bool { return !keep(a) })
}

// describeAdapters names the adapters in a message, with the values of --device that choose them.
func describeAdapters(adapters []Adapter) string {
	if len(adapters) == 0 {
		return "no device"
	}
	names := make([]string, len(adapters))
	for i, a := range adapters {
		names[i] = "(" + a.String() + ")"
	}
	return strings.Join(names, ", ")
}
