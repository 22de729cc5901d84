package dev.rush.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A change of an order, a grab, a sale or a rain, as a CloudEvents 1.0 event.
 *
 * @param id      the same for every redelivery
 * @param source  the path of the sale or rain
 * @param time    when the ledger recorded it
 * @param subject the order or grab, else the sale or rain
 * @param data    the state of the subject at that time
 */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"specversion", "id", "source", "type", "time", "subject", "datacontenttype",
    "data"})
@Schema(name = "CloudEvent", requiredProperties = {
    "specversion", "id", "source", "type", "time", "subject", "datacontenttype", "data"})
record CloudEvent(
        @Schema(enumeration = "1.0")
        String specversion,
        @Schema(description = "Unique, and the same on every redelivery",
                examples = "018f2f6e-7b5c-7cc0-8a3c-0242ac120002.confirmed")
        String id,
        @Schema(format = "uri-reference", examples = "/v1/sales/apple-day")
        String source,
        @Schema(examples = "dev.rush.order.confirmed")
        String type,
        @Schema(format = "date-time")
        String time,
        @Schema(description = "The order or grab; for other events, the sale or rain",
                examples = "018f2f6e-7b5c-7cc0-8a3c-0242ac120002")
        String subject,
        @Schema(enumeration = "application/json")
        @Nullable String datacontenttype,
        @Schema(type = SchemaType.OBJECT,
                description = "The order or grab as GET shows it, in its state at that time")
        @Nullable Object data) {

    private static final String VERSION = "1.0";
    private static final String JSON = "application/json";
    private static final String SALES = "/v1/sales/";
    private static final String RAINS = "/v1/rains/";

    /** A change of an order of a sale. */
    static CloudEvent ofOrder(String sale, String order, String kind, String time, Object data) {
        return new CloudEvent(VERSION, order + "." + kind, SALES + sale,
                EventTypes.ORDER + kind, time, order, JSON, data);
    }

    /** A change of a grab of a rain. */
    static CloudEvent ofGrab(String rain, String grab, String kind, String time, Object data) {
        return new CloudEvent(VERSION, grab + "." + kind, RAINS + rain,
                EventTypes.GRAB + kind, time, grab, JSON, data);
    }

    /** A change of a sale or rain itself. */
    static CloudEvent ofOffer(boolean isSale, String offer, String change, String kind,
            Instant time, Object data) {
        return new CloudEvent(VERSION, change + "." + kind, (isSale ? SALES : RAINS) + offer,
                (isSale ? EventTypes.SALE : EventTypes.RAIN) + kind, time.toString(), offer, JSON,
                data);
    }

    /** A stream entry that is neither an order nor a grab. */
    static CloudEvent ofDeadLetter(String partition, String entry, Instant time, Object data) {
        String subject = partition + "/" + entry;
        return new CloudEvent(VERSION, subject + ".dead-letter", "/v1/dead-letters",
                EventTypes.DEAD_LETTER, time.toString(), subject, JSON, data);
    }

    /**
     * The same event without its data, for receivers with a size limit; the subject's GET shows the
     * data.
     */
    CloudEvent withoutData() {
        return new CloudEvent(specversion, id, source, type, time, subject, null, null);
    }
}
