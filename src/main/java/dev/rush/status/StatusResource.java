package dev.rush.status;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.Violations;
import dev.rush.status.PodReport.Alarm;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The status of the service. */
@Singleton
@Path("/v1/status")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class StatusResource {

    private final Callers callers;
    private final PodReports reports;
    private final Json json;

    /**
     * The reports of all pods.
     *
     * @param alarms each once, however many pods raise it, with its highest value
     */
    @RegisterForReflection
    @Schema(name = "Status", requiredProperties = {"asOf", "alarms", "pods"})
    record Status(
            @Schema(format = "date-time")
            String asOf,
            @Schema(description = "Alarms that any pod raises, critical ones first; alerts that "
                    + "compare times or pods exist only in Prometheus")
            List<Alarm> alarms,
            @Schema(description = "Pods that reported within the last 15 seconds, by name")
            List<PodReport> pods) {

        private static Status of(List<PodReport> pods, String sale, String rain) {
            Map<String, Alarm> alarms = new LinkedHashMap<>();
            pods.forEach(pod -> pod.alarms().forEach(alarm -> alarms.merge(
                    alarm.severity() + alarm.alarm() + alarm.subject(), alarm,
                    (first, second) -> first.value() >= second.value() ? first : second)));
            return new Status(PodReports.now().toString(),
                    alarms.entrySet().stream().sorted(Map.Entry.comparingByKey())
                            .map(Map.Entry::getValue).toList(),
                    pods.stream().map(pod -> pod.shown(sale, rain)).toList());
        }
    }

    @Inject
    StatusResource(Callers callers, PodReports reports, Json json) {
        this.callers = callers;
        this.reports = reports;
        this.json = json;
    }

    /** Alarms, pods, Redis masters, and outcomes of a sale's purchases or a rain's grabs. */
    @GET
    @Operation(operationId = "getStatus",
            summary = "Alarms, and all pods with the Redis masters as each pod sees them",
            description = "Each pod reports every second, and any pod answers for all. With a "
                    + "sale or a rain, each pod adds the outcomes of its purchases or grabs "
                    + "since the pod started, by outcome code, if it is among the 20 sales or "
                    + "20 rains that were requested last.")
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The status",
            content = @Content(schema = @Schema(implementation = Status.class)))
    public CompletionStage<Response> get(
            @Context HttpServerRequest request, @QueryParam("sale") String sale,
            @QueryParam("rain") String rain) {
        callers.requireAuditor(request);
        if (sale != null) {
            Violations.id("sale", sale);
        }
        if (rain != null) {
            Violations.id("rain", rain);
        }
        return reports.all().thenApply(pods ->
                Response.ok(json.write(Status.of(pods, sale, rain))).build());
    }
}
