package dev.rush.metrics;

import io.prometheus.client.exemplars.ExemplarSampler;
import io.quarkus.micrometer.runtime.export.exemplars.OpentelemetryExemplarSamplerProvider;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Asks for the trace of each increment only where there are traces. Quarkus always asks, which was
 * 4 % of a purchase, so its own producer is excluded in {@code application.properties}.
 */
class Exemplars {

    @Produces
    @Singleton
    Optional<ExemplarSampler> sampler(
            @ConfigProperty(name = "quarkus.otel.sdk.disabled") boolean tracesAreOff) {
        return tracesAreOff ? Optional.empty()
                : new OpentelemetryExemplarSamplerProvider().exemplarSampler();
    }
}
