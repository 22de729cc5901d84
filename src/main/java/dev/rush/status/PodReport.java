package dev.rush.status;

import static com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The report of one pod, as stored in Redis for the others. Pods of another release may report more
 * or less, so unknown members are skipped and all but the first four may be absent.
 */
@RegisterForReflection
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(NON_NULL)
@Schema(name = "PodStatus", requiredProperties = {"pod", "role", "startedAt", "asOf"})
record PodReport(
        @Schema(description = "The host's name, and a suffix that is new at each start",
                examples = "rush-api-7d9f 1b2c3d4e")
        String pod,
        @Schema(enumeration = {"all", "api", "writer"})
        String role,
        @Schema(format = "date-time")
        String startedAt,
        @Schema(description = "When the pod reported, by its clock", format = "date-time")
        String asOf,
        @Schema(description = "Whether it can reach every master")
        @Nullable Boolean reachesRedis,
        @Schema(description = "Orders that wait for PostgreSQL; absent if the pod does not know",
                minimum = "0")
        @Nullable Long backlog,
        @Schema(description = "How long the oldest of them has waited, in seconds", minimum = "0")
        @Nullable Double lagSeconds,
        @Schema(description = "When this pod last finished a check of all books",
                format = "date-time")
        @Nullable String booksCheckedAt,
        @Schema(description = "Redis masters as this pod sees them")
        List<Master> masters,
        @Schema(description = "Alarms that this pod raises")
        List<Alarm> alarms,
        @Schema(description = "Only if the call names a sale: outcomes of its purchases on this "
                + "pod since the pod started, by outcome code; accepted is one",
                additionalProperties = Long.class)
        @Nullable Map<String, Long> purchases,
        @Schema(description = "Only if the call names a rain: outcomes of its grabs on this pod "
                + "since the pod started, by outcome code; accepted is one",
                additionalProperties = Long.class)
        @Nullable Map<String, Long> grabs,
        @Schema(hidden = true)
        @Nullable Map<String, Map<String, Long>> sales,
        @Schema(hidden = true)
        @Nullable Map<String, Map<String, Long>> rains) {

    private static final Logger LOG = Logger.getLogger(PodReport.class);
    private static final JsonMapper MAPPER = new JsonMapper();

    /** A Redis master. */
    @RegisterForReflection
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(NON_NULL)
    @Schema(name = "RedisMaster", requiredProperties = "master")
    record Master(
            @Schema(examples = "10.0.3.7:6379")
            String master,
            @Schema(description = "Replicas that follow it; absent outside a cluster",
                    minimum = "0")
            @Nullable Long replicas,
            @Schema(description = "Bytes that count against memoryMax", minimum = "0")
            @Nullable Long memoryUsed,
            @Schema(description = "Its maxmemory; 0: none", minimum = "0")
            @Nullable Long memoryMax,
            @Schema(description = "Whether the last write of one of its files failed")
            @Nullable Boolean writeFailed) {

        Master {
            requireNonNull(master, "master");
        }
    }

    /** An alarm. */
    @RegisterForReflection
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(NON_NULL)
    @Schema(name = "Alarm", requiredProperties = {"alarm", "severity", "value"})
    record Alarm(
            @Schema(description = "The name of the alert and of its runbook",
                    examples = "RushDeadLetters")
            String alarm,
            @Schema(enumeration = {"critical", "warning"})
            String severity,
            @Schema(description = "The master, sale or webhook concerned, if any")
            @Nullable String subject,
            @Schema(description = "The figure that is too high or too low", examples = "3")
            double value) {

        /** Invalid without name or severity. */
        Alarm {
            requireNonNull(alarm, "alarm");
            requireNonNull(severity, "severity");
        }
    }

    /**
     * Rejects values that no pod reports. A pod of an earlier release may omit masters and alarms.
     */
    PodReport {
        requireNonNull(pod, "pod");
        requireNonNull(role, "role");
        Instant.parse(startedAt);
        Instant.parse(asOf);
        masters = masters == null ? List.of() : List.copyOf(masters);
        alarms = alarms == null ? List.of() : List.copyOf(alarms);
    }

    /** Parses a pod's report; null if the text is invalid. */
    static @Nullable PodReport parse(String text) {
        try {
            return MAPPER.readValue(text, PodReport.class);
        } catch (JsonProcessingException e) {
            LOG.debugf("A pod's status cannot be read: %s", e.getMessage());
            return null;
        }
    }

    String text() throws JsonProcessingException {
        return MAPPER.writeValueAsString(this);
    }

    /** The report as shown for a sale and a rain, or null for none. */
    PodReport shown(@Nullable String sale, @Nullable String rain) {
        return new PodReport(pod, role, startedAt, asOf, reachesRedis, backlog, lagSeconds,
                booksCheckedAt, masters, alarms, outcomes(sales, sale), outcomes(rains, rain), null,
                null);
    }

    private static @Nullable Map<String, Long> outcomes(
            @Nullable Map<String, Map<String, Long>> all, @Nullable String id) {
        return id == null ? null : all == null ? Map.of() : all.getOrDefault(id, Map.of());
    }
}
