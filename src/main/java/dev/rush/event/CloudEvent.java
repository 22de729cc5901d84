package dev.rush.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * A change of an order, a grab, a sale or a rain, as CloudEvents 1.0 has events.
 *
 * @param id      the same wherever the event is delivered again
 * @param source  the path of the sale or rain
 * @param time    when the ledger learned of it
 * @param subject the order or grab, else the sale or rain
 * @param data    what the subject was then
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
        @Schema(description = "The order or grab, else the sale or rain",
                examples = "018f2f6e-7b5c-7cc0-8a3c-0242ac120002")
        String subject,
        @Schema(enumeration = "application/json")
        String datacontenttype,
        @Schema(type = SchemaType.OBJECT,
                description = "The order or grab as its GET shows it, as it was then")
        Object data) {

    private static final String VERSION = "1.0";
    private static final String JSON = "application/json";
    private static final String SALES = "/v1/sales/";
    private static final String RAINS = "/v1/rains/";

    /** Something that happened to an order of a sale. */
    static CloudEvent ofOrder(String sale, String order, String kind, Instant time, Object data) {
        return new CloudEvent(VERSION, order + "." + kind, SALES + sale,
                EventTypes.ORDER + kind, time.toString(), order, JSON, data);
    }

    /** Something that happened to a grab of a rain. */
    static CloudEvent ofGrab(String rain, String grab, String kind, Instant time, Object data) {
        return new CloudEvent(VERSION, grab + "." + kind, RAINS + rain,
                EventTypes.GRAB + kind, time.toString(), grab, JSON, data);
    }

    /** Something that happened to a sale or rain itself. */
    static CloudEvent ofOffer(boolean isSale, String offer, String change, String kind,
            Instant time, Object data) {
        return new CloudEvent(VERSION, change + "." + kind, (isSale ? SALES : RAINS) + offer,
                (isSale ? EventTypes.SALE : EventTypes.RAIN) + kind, time.toString(), offer, JSON,
                data);
    }
}
