package trace

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// FromEnv reports whether the standard OTEL_* variables enable traces over OTLP: they name an
// endpoint, and neither OTEL_SDK_DISABLED nor OTEL_TRACES_EXPORTER disables it.
func FromEnv(getenv func(string) string) (bool, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch e := getenv("OTEL_TRACES_EXPORTER"); e {
	case "", "otlp":
	case "none":
		return false, nil
	default:
		return false, fmt.Errorf("cannot use OTEL_TRACES_EXPORTER: got %q; want otlp or none", e)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if v := getenv(name); v != "" {
			if _, err := tracesURL(v); err != nil {
				return false, fmt.Errorf("%w (%s)", err, name)
			}
			return true, nil
		}
	}
	return false, nil
}

// Check returns an error if the address of the collector (Endpoint), or the share of requests to trace
// (Ratio, or the OTEL_* variables) cannot be used, so that a daemon does not start with them.
func (cfg Config) Check() error {
	if cfg.Endpoint != "" {
		if _, err := tracesURL(cfg.Endpoint); err != nil {
			return fmt.Errorf("%w (--otlp-endpoint)", err)
		}
	}
	_, err := samplerOf(cfg)
	return err
}

// tracesURL returns the URL to which spans are sent, for the base URL of a collector: with
// /v1/traces at its end.
func tracesURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return "", fmt.Errorf("cannot use collector %.200q: want http://HOST:PORT or https://HOST:PORT, with a path or without", endpoint)
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// samplerOf returns the sampler of a Config, which decides whether a request is traced. If the client of
// the request began a trace, its decision counts; else the share Ratio of all requests is traced. If Ratio
// is negative, the variables OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say how to decide, and
// without them all requests are traced.
func samplerOf(cfg Config) (sdk.Sampler, error) {
	if cfg.Ratio > 1 || math.IsNaN(cfg.Ratio) {
		return nil, fmt.Errorf("cannot use ratio of traces: got %v; want 0 to 1 (--trace-ratio)", cfg.Ratio)
	}
	if cfg.Ratio >= 0 {
		return sdk.ParentBased(sdk.TraceIDRatioBased(cfg.Ratio)), nil
	}
	// Without a flag the variables of OpenTelemetry decide.
	getenv := cfg.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	name, arg := getenv("OTEL_TRACES_SAMPLER"), getenv("OTEL_TRACES_SAMPLER_ARG")
	ratio := 1.0
	if arg != "" && strings.HasSuffix(name, "traceidratio") {
		var err error
		ratio, err = strconv.ParseFloat(arg, 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			return nil, fmt.Errorf("cannot use OTEL_TRACES_SAMPLER_ARG: got %q; want 0 to 1", arg)
		}
	}
	switch name {
	case "", "parentbased_always_on":
		return sdk.ParentBased(sdk.AlwaysSample()), nil
	case "parentbased_always_off":
		return sdk.ParentBased(sdk.NeverSample()), nil
	case "parentbased_traceidratio":
		return sdk.ParentBased(sdk.TraceIDRatioBased(ratio)), nil
	case "always_on":
		return sdk.AlwaysSample(), nil
	case "always_off":
		return sdk.NeverSample(), nil
	case "traceidratio":
		return sdk.TraceIDRatioBased(ratio), nil
	}
	return nil, fmt.Errorf("cannot use OTEL_TRACES_SAMPLER: got %q; want always_on, always_off, traceidratio, or one of them behind parentbased_", name)
}
