// Generated from proto/ by `npm run gen`; do not edit.
import * as $protobuf from "protobufjs/minimal.js";
import Long = require("long");

/** Namespace firn. */
export namespace firn {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of an Account.
         * @deprecated Use firn.v1.Account.$Properties instead.
         */
        interface IAccount extends firn.v1.Account.$Properties {
        }

        /** Represents an Account. */
        class Account {

            /**
             * Constructs a new Account.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Account.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Account envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Account name. */
            name: string;

            /** Account description. */
            description: string;

            /** Account tags. */
            tags: { [k: string]: string };

            /** Account createdAtMs. */
            createdAtMs: Long;

            /** Account state. */
            state: firn.v1.EntityState;

            /** Account nameRevision. */
            nameRevision: Uint8Array;

            /** Account deletingJob. */
            deletingJob: Uint8Array;

            /** Account protected. */
            protected: boolean;

            /** Account purgeAfterMs. */
            purgeAfterMs: Long;

            /** Account operator. */
            operator: Uint8Array;

            /** Account suspended. */
            suspended: boolean;

            /**
             * Creates a new Account instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Account instance
             */
            static create(properties: firn.v1.Account.$Shape): firn.v1.Account & firn.v1.Account.$Shape;
            static create(properties?: firn.v1.Account.$Properties): firn.v1.Account;

            /**
             * Encodes the specified Account message. Does not implicitly {@link firn.v1.Account.verify|verify} messages.
             * @param message Account message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Account.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Account message, length delimited. Does not implicitly {@link firn.v1.Account.verify|verify} messages.
             * @param message Account message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Account.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Account message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Account & firn.v1.Account.$Shape} Account
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Account & firn.v1.Account.$Shape;

            /**
             * Decodes an Account message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Account & firn.v1.Account.$Shape} Account
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Account & firn.v1.Account.$Shape;

            /**
             * Verifies an Account message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an Account message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Account
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Account;

            /**
             * Creates a plain object from an Account message. Also converts values to other types if specified.
             * @param message Account
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Account, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Account to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Account
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Account {

            /** Properties of an Account. */
            interface $Properties {

                /** Account envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Account name */
                name?: (string|null);

                /** Account description */
                description?: (string|null);

                /** Account tags */
                tags?: ({ [k: string]: string }|null);

                /** Account createdAtMs */
                createdAtMs?: (Long|null);

                /** Account state */
                state?: (firn.v1.EntityState|null);

                /** Account nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Account deletingJob */
                deletingJob?: (Uint8Array|null);

                /** Account protected */
                "protected"?: (boolean|null);

                /** Account purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** Account operator */
                operator?: (Uint8Array|null);

                /** Account suspended */
                suspended?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Account. */
            type $Shape = firn.v1.Account.$Properties;
        }

        /** EntityType enum. */
        enum EntityType {

            /** ENTITY_TYPE_UNSPECIFIED value */
            ENTITY_TYPE_UNSPECIFIED = 0,

            /** ENTITY_TYPE_ACCOUNT value */
            ENTITY_TYPE_ACCOUNT = 1,

            /** ENTITY_TYPE_CATALOG value */
            ENTITY_TYPE_CATALOG = 2,

            /** ENTITY_TYPE_NAMESPACE value */
            ENTITY_TYPE_NAMESPACE = 3,

            /** ENTITY_TYPE_TABLE value */
            ENTITY_TYPE_TABLE = 4,

            /** ENTITY_TYPE_VIEW value */
            ENTITY_TYPE_VIEW = 5,

            /** ENTITY_TYPE_SNAPSHOT value */
            ENTITY_TYPE_SNAPSHOT = 6,

            /** ENTITY_TYPE_TARGET_STATS value */
            ENTITY_TYPE_TARGET_STATS = 7,

            /** ENTITY_TYPE_CONSTRAINTS value */
            ENTITY_TYPE_CONSTRAINTS = 8,

            /** ENTITY_TYPE_CONNECTOR value */
            ENTITY_TYPE_CONNECTOR = 9,

            /** ENTITY_TYPE_CHANGE value */
            ENTITY_TYPE_CHANGE = 10,

            /** ENTITY_TYPE_REPORT value */
            ENTITY_TYPE_REPORT = 11,

            /** ENTITY_TYPE_PRINCIPAL value */
            ENTITY_TYPE_PRINCIPAL = 12,

            /** ENTITY_TYPE_STORAGE_PROFILE value */
            ENTITY_TYPE_STORAGE_PROFILE = 13
        }

        /** EntityState enum. */
        enum EntityState {

            /** ENTITY_STATE_UNSPECIFIED value */
            ENTITY_STATE_UNSPECIFIED = 0,

            /** ENTITY_STATE_ACTIVE value */
            ENTITY_STATE_ACTIVE = 1,

            /** ENTITY_STATE_DELETING value */
            ENTITY_STATE_DELETING = 2,

            /** ENTITY_STATE_DROPPED value */
            ENTITY_STATE_DROPPED = 3,

            /** ENTITY_STATE_PURGING value */
            ENTITY_STATE_PURGING = 4
        }

        /**
         * Properties of an Envelope.
         * @deprecated Use firn.v1.Envelope.$Properties instead.
         */
        interface IEnvelope extends firn.v1.Envelope.$Properties {
        }

        /** Represents an Envelope. */
        class Envelope {

            /**
             * Constructs a new Envelope.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Envelope.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Envelope schemaVersion. */
            schemaVersion: number;

            /** Envelope minWriterVersion. */
            minWriterVersion: number;

            /** Envelope entityType. */
            entityType: firn.v1.EntityType;

            /** Envelope accountId. */
            accountId: Uint8Array;

            /** Envelope entityId. */
            entityId: Uint8Array;

            /** Envelope revision. */
            revision: Uint8Array;

            /** Envelope updatedAtMs. */
            updatedAtMs: Long;

            /** Envelope updatedBy. */
            updatedBy: string;

            /** Envelope requestId. */
            requestId: string;

            /**
             * Creates a new Envelope instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Envelope instance
             */
            static create(properties: firn.v1.Envelope.$Shape): firn.v1.Envelope & firn.v1.Envelope.$Shape;
            static create(properties?: firn.v1.Envelope.$Properties): firn.v1.Envelope;

            /**
             * Encodes the specified Envelope message. Does not implicitly {@link firn.v1.Envelope.verify|verify} messages.
             * @param message Envelope message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Envelope.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Envelope message, length delimited. Does not implicitly {@link firn.v1.Envelope.verify|verify} messages.
             * @param message Envelope message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Envelope.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Envelope message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Envelope & firn.v1.Envelope.$Shape} Envelope
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Envelope & firn.v1.Envelope.$Shape;

            /**
             * Decodes an Envelope message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Envelope & firn.v1.Envelope.$Shape} Envelope
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Envelope & firn.v1.Envelope.$Shape;

            /**
             * Verifies an Envelope message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an Envelope message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Envelope
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Envelope;

            /**
             * Creates a plain object from an Envelope message. Also converts values to other types if specified.
             * @param message Envelope
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Envelope, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Envelope to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Envelope
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Envelope {

            /** Properties of an Envelope. */
            interface $Properties {

                /** Envelope schemaVersion */
                schemaVersion?: (number|null);

                /** Envelope minWriterVersion */
                minWriterVersion?: (number|null);

                /** Envelope entityType */
                entityType?: (firn.v1.EntityType|null);

                /** Envelope accountId */
                accountId?: (Uint8Array|null);

                /** Envelope entityId */
                entityId?: (Uint8Array|null);

                /** Envelope revision */
                revision?: (Uint8Array|null);

                /** Envelope updatedAtMs */
                updatedAtMs?: (Long|null);

                /** Envelope updatedBy */
                updatedBy?: (string|null);

                /** Envelope requestId */
                requestId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Envelope. */
            type $Shape = firn.v1.Envelope.$Properties;
        }

        /**
         * Properties of a RowShard.
         * @deprecated Use firn.v1.RowShard.$Properties instead.
         */
        interface IRowShard extends firn.v1.RowShard.$Properties {
        }

        /** Represents a RowShard. */
        class RowShard {

            /**
             * Constructs a new RowShard.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.RowShard.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RowShard id. */
            id: Uint8Array;

            /** RowShard name. */
            name: string;

            /** RowShard number. */
            number: number;

            /**
             * Creates a new RowShard instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RowShard instance
             */
            static create(properties: firn.v1.RowShard.$Shape): firn.v1.RowShard & firn.v1.RowShard.$Shape;
            static create(properties?: firn.v1.RowShard.$Properties): firn.v1.RowShard;

            /**
             * Encodes the specified RowShard message. Does not implicitly {@link firn.v1.RowShard.verify|verify} messages.
             * @param message RowShard message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.RowShard.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified RowShard message, length delimited. Does not implicitly {@link firn.v1.RowShard.verify|verify} messages.
             * @param message RowShard message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.RowShard.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RowShard message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.RowShard & firn.v1.RowShard.$Shape} RowShard
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.RowShard & firn.v1.RowShard.$Shape;

            /**
             * Decodes a RowShard message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.RowShard & firn.v1.RowShard.$Shape} RowShard
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.RowShard & firn.v1.RowShard.$Shape;

            /**
             * Verifies a RowShard message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a RowShard message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns RowShard
             */
            static fromObject(object: { [k: string]: any }): firn.v1.RowShard;

            /**
             * Creates a plain object from a RowShard message. Also converts values to other types if specified.
             * @param message RowShard
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.RowShard, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this RowShard to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for RowShard
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace RowShard {

            /** Properties of a RowShard. */
            interface $Properties {

                /** RowShard id */
                id?: (Uint8Array|null);

                /** RowShard name */
                name?: (string|null);

                /** RowShard number */
                number?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RowShard. */
            type $Shape = firn.v1.RowShard.$Properties;
        }

        /**
         * Properties of a Catalog.
         * @deprecated Use firn.v1.Catalog.$Properties instead.
         */
        interface ICatalog extends firn.v1.Catalog.$Properties {
        }

        /** Represents a Catalog. */
        class Catalog {

            /**
             * Constructs a new Catalog.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Catalog.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Catalog envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Catalog name. */
            name: string;

            /** Catalog description. */
            description: string;

            /** Catalog properties. */
            properties: { [k: string]: string };

            /** Catalog createdAtMs. */
            createdAtMs: Long;

            /** Catalog state. */
            state: firn.v1.EntityState;

            /** Catalog nameRevision. */
            nameRevision: Uint8Array;

            /** Catalog guardGeneration. */
            guardGeneration: number;

            /** Catalog protected. */
            protected: boolean;

            /** Catalog purgeAfterMs. */
            purgeAfterMs: Long;

            /** Catalog defaultLocation. */
            defaultLocation: string;

            /** Catalog allowedLocations. */
            allowedLocations: string[];

            /** Catalog defaultTableProperties. */
            defaultTableProperties: { [k: string]: string };

            /** Catalog owner. */
            owner: Uint8Array;

            /** Catalog deletingJob. */
            deletingJob: Uint8Array;

            /** Catalog rowShards. */
            rowShards: firn.v1.RowShard.$Properties[];

            /**
             * Creates a new Catalog instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Catalog instance
             */
            static create(properties: firn.v1.Catalog.$Shape): firn.v1.Catalog & firn.v1.Catalog.$Shape;
            static create(properties?: firn.v1.Catalog.$Properties): firn.v1.Catalog;

            /**
             * Encodes the specified Catalog message. Does not implicitly {@link firn.v1.Catalog.verify|verify} messages.
             * @param message Catalog message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Catalog.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Catalog message, length delimited. Does not implicitly {@link firn.v1.Catalog.verify|verify} messages.
             * @param message Catalog message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Catalog.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Catalog message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Catalog & firn.v1.Catalog.$Shape} Catalog
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Catalog & firn.v1.Catalog.$Shape;

            /**
             * Decodes a Catalog message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Catalog & firn.v1.Catalog.$Shape} Catalog
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Catalog & firn.v1.Catalog.$Shape;

            /**
             * Verifies a Catalog message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Catalog message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Catalog
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Catalog;

            /**
             * Creates a plain object from a Catalog message. Also converts values to other types if specified.
             * @param message Catalog
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Catalog, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Catalog to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Catalog
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Catalog {

            /** Properties of a Catalog. */
            interface $Properties {

                /** Catalog envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Catalog name */
                name?: (string|null);

                /** Catalog description */
                description?: (string|null);

                /** Catalog properties */
                properties?: ({ [k: string]: string }|null);

                /** Catalog createdAtMs */
                createdAtMs?: (Long|null);

                /** Catalog state */
                state?: (firn.v1.EntityState|null);

                /** Catalog nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Catalog guardGeneration */
                guardGeneration?: (number|null);

                /** Catalog protected */
                "protected"?: (boolean|null);

                /** Catalog purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** Catalog defaultLocation */
                defaultLocation?: (string|null);

                /** Catalog allowedLocations */
                allowedLocations?: (string[]|null);

                /** Catalog defaultTableProperties */
                defaultTableProperties?: ({ [k: string]: string }|null);

                /** Catalog owner */
                owner?: (Uint8Array|null);

                /** Catalog deletingJob */
                deletingJob?: (Uint8Array|null);

                /** Catalog rowShards */
                rowShards?: (firn.v1.RowShard.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Catalog. */
            type $Shape = firn.v1.Catalog.$Properties;
        }

        /**
         * Properties of a ChangedKey.
         * @deprecated Use firn.v1.ChangedKey.$Properties instead.
         */
        interface IChangedKey extends firn.v1.ChangedKey.$Properties {
        }

        /** Represents a ChangedKey. */
        class ChangedKey {

            /**
             * Constructs a new ChangedKey.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ChangedKey.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ChangedKey key. */
            key: string;

            /** ChangedKey versionFrom. */
            versionFrom: Long;

            /** ChangedKey versionTo. */
            versionTo: Long;

            /** ChangedKey blobFrom. */
            blobFrom: Uint8Array;

            /** ChangedKey blobTo. */
            blobTo: Uint8Array;

            /** ChangedKey deleted. */
            deleted: boolean;

            /**
             * Creates a new ChangedKey instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ChangedKey instance
             */
            static create(properties: firn.v1.ChangedKey.$Shape): firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape;
            static create(properties?: firn.v1.ChangedKey.$Properties): firn.v1.ChangedKey;

            /**
             * Encodes the specified ChangedKey message. Does not implicitly {@link firn.v1.ChangedKey.verify|verify} messages.
             * @param message ChangedKey message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ChangedKey.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ChangedKey message, length delimited. Does not implicitly {@link firn.v1.ChangedKey.verify|verify} messages.
             * @param message ChangedKey message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ChangedKey.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ChangedKey message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape} ChangedKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape;

            /**
             * Decodes a ChangedKey message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape} ChangedKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape;

            /**
             * Verifies a ChangedKey message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ChangedKey message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ChangedKey
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ChangedKey;

            /**
             * Creates a plain object from a ChangedKey message. Also converts values to other types if specified.
             * @param message ChangedKey
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ChangedKey, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ChangedKey to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ChangedKey
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ChangedKey {

            /** Properties of a ChangedKey. */
            interface $Properties {

                /** ChangedKey key */
                key?: (string|null);

                /** ChangedKey versionFrom */
                versionFrom?: (Long|null);

                /** ChangedKey versionTo */
                versionTo?: (Long|null);

                /** ChangedKey blobFrom */
                blobFrom?: (Uint8Array|null);

                /** ChangedKey blobTo */
                blobTo?: (Uint8Array|null);

                /** ChangedKey deleted */
                deleted?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ChangedKey. */
            type $Shape = firn.v1.ChangedKey.$Properties;
        }

        /**
         * Properties of a ChangedKeys.
         * @deprecated Use firn.v1.ChangedKeys.$Properties instead.
         */
        interface IChangedKeys extends firn.v1.ChangedKeys.$Properties {
        }

        /** Represents a ChangedKeys. */
        class ChangedKeys {

            /**
             * Constructs a new ChangedKeys.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ChangedKeys.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ChangedKeys keys. */
            keys: firn.v1.ChangedKey.$Properties[];

            /**
             * Creates a new ChangedKeys instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ChangedKeys instance
             */
            static create(properties: firn.v1.ChangedKeys.$Shape): firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape;
            static create(properties?: firn.v1.ChangedKeys.$Properties): firn.v1.ChangedKeys;

            /**
             * Encodes the specified ChangedKeys message. Does not implicitly {@link firn.v1.ChangedKeys.verify|verify} messages.
             * @param message ChangedKeys message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ChangedKeys.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ChangedKeys message, length delimited. Does not implicitly {@link firn.v1.ChangedKeys.verify|verify} messages.
             * @param message ChangedKeys message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ChangedKeys.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ChangedKeys message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape} ChangedKeys
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape;

            /**
             * Decodes a ChangedKeys message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape} ChangedKeys
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape;

            /**
             * Verifies a ChangedKeys message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ChangedKeys message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ChangedKeys
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ChangedKeys;

            /**
             * Creates a plain object from a ChangedKeys message. Also converts values to other types if specified.
             * @param message ChangedKeys
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ChangedKeys, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ChangedKeys to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ChangedKeys
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ChangedKeys {

            /** Properties of a ChangedKeys. */
            interface $Properties {

                /** ChangedKeys keys */
                keys?: (firn.v1.ChangedKey.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ChangedKeys. */
            type $Shape = firn.v1.ChangedKeys.$Properties;
        }

        /**
         * Properties of a ChangeRecord.
         * @deprecated Use firn.v1.ChangeRecord.$Properties instead.
         */
        interface IChangeRecord extends firn.v1.ChangeRecord.$Properties {
        }

        /** Represents a ChangeRecord. */
        class ChangeRecord {

            /**
             * Constructs a new ChangeRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ChangeRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ChangeRecord envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** ChangeRecord requestId. */
            requestId: string;

            /** ChangeRecord principal. */
            principal: string;

            /** ChangeRecord timeMs. */
            timeMs: Long;

            /** ChangeRecord operation. */
            operation: string;

            /** ChangeRecord keys. */
            keys: firn.v1.ChangedKey.$Properties[];

            /** ChangeRecord packedKeys. */
            packedKeys: Uint8Array;

            /**
             * Creates a new ChangeRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ChangeRecord instance
             */
            static create(properties: firn.v1.ChangeRecord.$Shape): firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape;
            static create(properties?: firn.v1.ChangeRecord.$Properties): firn.v1.ChangeRecord;

            /**
             * Encodes the specified ChangeRecord message. Does not implicitly {@link firn.v1.ChangeRecord.verify|verify} messages.
             * @param message ChangeRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ChangeRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ChangeRecord message, length delimited. Does not implicitly {@link firn.v1.ChangeRecord.verify|verify} messages.
             * @param message ChangeRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ChangeRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ChangeRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape} ChangeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape;

            /**
             * Decodes a ChangeRecord message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape} ChangeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape;

            /**
             * Verifies a ChangeRecord message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ChangeRecord message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ChangeRecord
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ChangeRecord;

            /**
             * Creates a plain object from a ChangeRecord message. Also converts values to other types if specified.
             * @param message ChangeRecord
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ChangeRecord, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ChangeRecord to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ChangeRecord
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ChangeRecord {

            /** Properties of a ChangeRecord. */
            interface $Properties {

                /** ChangeRecord envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** ChangeRecord requestId */
                requestId?: (string|null);

                /** ChangeRecord principal */
                principal?: (string|null);

                /** ChangeRecord timeMs */
                timeMs?: (Long|null);

                /** ChangeRecord operation */
                operation?: (string|null);

                /** ChangeRecord keys */
                keys?: (firn.v1.ChangedKey.$Properties[]|null);

                /** ChangeRecord packedKeys */
                packedKeys?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ChangeRecord. */
            type $Shape = firn.v1.ChangeRecord.$Properties;
        }

        /** ConnectorKind enum. */
        enum ConnectorKind {

            /** CONNECTOR_KIND_UNSPECIFIED value */
            CONNECTOR_KIND_UNSPECIFIED = 0,

            /** CONNECTOR_KIND_ICEBERG_REST value */
            CONNECTOR_KIND_ICEBERG_REST = 1,

            /** CONNECTOR_KIND_GLUE value */
            CONNECTOR_KIND_GLUE = 2,

            /** CONNECTOR_KIND_DELTA value */
            CONNECTOR_KIND_DELTA = 3,

            /** CONNECTOR_KIND_UNITY value */
            CONNECTOR_KIND_UNITY = 4
        }

        /**
         * Properties of a ConnectorPolicy.
         * @deprecated Use firn.v1.ConnectorPolicy.$Properties instead.
         */
        interface IConnectorPolicy extends firn.v1.ConnectorPolicy.$Properties {
        }

        /** Represents a ConnectorPolicy. */
        class ConnectorPolicy {

            /**
             * Constructs a new ConnectorPolicy.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ConnectorPolicy.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ConnectorPolicy enabled. */
            enabled: boolean;

            /** ConnectorPolicy intervalMs. */
            intervalMs: Long;

            /** ConnectorPolicy scope. */
            scope: string[];

            /**
             * Creates a new ConnectorPolicy instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ConnectorPolicy instance
             */
            static create(properties: firn.v1.ConnectorPolicy.$Shape): firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape;
            static create(properties?: firn.v1.ConnectorPolicy.$Properties): firn.v1.ConnectorPolicy;

            /**
             * Encodes the specified ConnectorPolicy message. Does not implicitly {@link firn.v1.ConnectorPolicy.verify|verify} messages.
             * @param message ConnectorPolicy message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ConnectorPolicy.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ConnectorPolicy message, length delimited. Does not implicitly {@link firn.v1.ConnectorPolicy.verify|verify} messages.
             * @param message ConnectorPolicy message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ConnectorPolicy.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ConnectorPolicy message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape} ConnectorPolicy
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape;

            /**
             * Decodes a ConnectorPolicy message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape} ConnectorPolicy
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape;

            /**
             * Verifies a ConnectorPolicy message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ConnectorPolicy message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ConnectorPolicy
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ConnectorPolicy;

            /**
             * Creates a plain object from a ConnectorPolicy message. Also converts values to other types if specified.
             * @param message ConnectorPolicy
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ConnectorPolicy, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ConnectorPolicy to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ConnectorPolicy
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ConnectorPolicy {

            /** Properties of a ConnectorPolicy. */
            interface $Properties {

                /** ConnectorPolicy enabled */
                enabled?: (boolean|null);

                /** ConnectorPolicy intervalMs */
                intervalMs?: (Long|null);

                /** ConnectorPolicy scope */
                scope?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ConnectorPolicy. */
            type $Shape = firn.v1.ConnectorPolicy.$Properties;
        }

        /**
         * Properties of a Connector.
         * @deprecated Use firn.v1.Connector.$Properties instead.
         */
        interface IConnector extends firn.v1.Connector.$Properties {
        }

        /** Represents a Connector. */
        class Connector {

            /**
             * Constructs a new Connector.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Connector.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Connector envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Connector name. */
            name: string;

            /** Connector description. */
            description: string;

            /** Connector properties. */
            properties: { [k: string]: string };

            /** Connector createdAtMs. */
            createdAtMs: Long;

            /** Connector state. */
            state: firn.v1.EntityState;

            /** Connector nameRevision. */
            nameRevision: Uint8Array;

            /** Connector kind. */
            kind: firn.v1.ConnectorKind;

            /** Connector uri. */
            uri: string;

            /** Connector options. */
            options: { [k: string]: string };

            /** Connector policy. */
            policy?: (firn.v1.ConnectorPolicy.$Properties|null);

            /** Connector owner. */
            owner: Uint8Array;

            /**
             * Creates a new Connector instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Connector instance
             */
            static create(properties: firn.v1.Connector.$Shape): firn.v1.Connector & firn.v1.Connector.$Shape;
            static create(properties?: firn.v1.Connector.$Properties): firn.v1.Connector;

            /**
             * Encodes the specified Connector message. Does not implicitly {@link firn.v1.Connector.verify|verify} messages.
             * @param message Connector message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Connector.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Connector message, length delimited. Does not implicitly {@link firn.v1.Connector.verify|verify} messages.
             * @param message Connector message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Connector.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Connector message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Connector & firn.v1.Connector.$Shape} Connector
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Connector & firn.v1.Connector.$Shape;

            /**
             * Decodes a Connector message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Connector & firn.v1.Connector.$Shape} Connector
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Connector & firn.v1.Connector.$Shape;

            /**
             * Verifies a Connector message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Connector message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Connector
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Connector;

            /**
             * Creates a plain object from a Connector message. Also converts values to other types if specified.
             * @param message Connector
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Connector, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Connector to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Connector
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Connector {

            /** Properties of a Connector. */
            interface $Properties {

                /** Connector envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Connector name */
                name?: (string|null);

                /** Connector description */
                description?: (string|null);

                /** Connector properties */
                properties?: ({ [k: string]: string }|null);

                /** Connector createdAtMs */
                createdAtMs?: (Long|null);

                /** Connector state */
                state?: (firn.v1.EntityState|null);

                /** Connector nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Connector kind */
                kind?: (firn.v1.ConnectorKind|null);

                /** Connector uri */
                uri?: (string|null);

                /** Connector options */
                options?: ({ [k: string]: string }|null);

                /** Connector policy */
                policy?: (firn.v1.ConnectorPolicy.$Properties|null);

                /** Connector owner */
                owner?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Connector. */
            type $Shape = firn.v1.Connector.$Properties;
        }

        /** ConstraintKind enum. */
        enum ConstraintKind {

            /** CONSTRAINT_KIND_UNSPECIFIED value */
            CONSTRAINT_KIND_UNSPECIFIED = 0,

            /** CONSTRAINT_KIND_PRIMARY_KEY value */
            CONSTRAINT_KIND_PRIMARY_KEY = 1,

            /** CONSTRAINT_KIND_FOREIGN_KEY value */
            CONSTRAINT_KIND_FOREIGN_KEY = 2,

            /** CONSTRAINT_KIND_UNIQUE value */
            CONSTRAINT_KIND_UNIQUE = 3,

            /** CONSTRAINT_KIND_CHECK value */
            CONSTRAINT_KIND_CHECK = 4,

            /** CONSTRAINT_KIND_NOT_NULL value */
            CONSTRAINT_KIND_NOT_NULL = 5
        }

        /**
         * Properties of a ConstraintColumn.
         * @deprecated Use firn.v1.ConstraintColumn.$Properties instead.
         */
        interface IConstraintColumn extends firn.v1.ConstraintColumn.$Properties {
        }

        /** Represents a ConstraintColumn. */
        class ConstraintColumn {

            /**
             * Constructs a new ConstraintColumn.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ConstraintColumn.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ConstraintColumn id. */
            id: number;

            /** ConstraintColumn name. */
            name: string;

            /** ConstraintColumn ordinal. */
            ordinal: number;

            /**
             * Creates a new ConstraintColumn instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ConstraintColumn instance
             */
            static create(properties: firn.v1.ConstraintColumn.$Shape): firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape;
            static create(properties?: firn.v1.ConstraintColumn.$Properties): firn.v1.ConstraintColumn;

            /**
             * Encodes the specified ConstraintColumn message. Does not implicitly {@link firn.v1.ConstraintColumn.verify|verify} messages.
             * @param message ConstraintColumn message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ConstraintColumn.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ConstraintColumn message, length delimited. Does not implicitly {@link firn.v1.ConstraintColumn.verify|verify} messages.
             * @param message ConstraintColumn message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ConstraintColumn.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ConstraintColumn message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape} ConstraintColumn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape;

            /**
             * Decodes a ConstraintColumn message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape} ConstraintColumn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape;

            /**
             * Verifies a ConstraintColumn message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ConstraintColumn message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ConstraintColumn
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ConstraintColumn;

            /**
             * Creates a plain object from a ConstraintColumn message. Also converts values to other types if specified.
             * @param message ConstraintColumn
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ConstraintColumn, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ConstraintColumn to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ConstraintColumn
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ConstraintColumn {

            /** Properties of a ConstraintColumn. */
            interface $Properties {

                /** ConstraintColumn id */
                id?: (number|null);

                /** ConstraintColumn name */
                name?: (string|null);

                /** ConstraintColumn ordinal */
                ordinal?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ConstraintColumn. */
            type $Shape = firn.v1.ConstraintColumn.$Properties;
        }

        /**
         * Properties of a Reference.
         * @deprecated Use firn.v1.Reference.$Properties instead.
         */
        interface IReference extends firn.v1.Reference.$Properties {
        }

        /** Represents a Reference. */
        class Reference {

            /**
             * Constructs a new Reference.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Reference.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Reference table. */
            table: string;

            /** Reference columns. */
            columns: firn.v1.ConstraintColumn.$Properties[];

            /** Reference match. */
            match: string;

            /** Reference onUpdate. */
            onUpdate: string;

            /** Reference onDelete. */
            onDelete: string;

            /**
             * Creates a new Reference instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Reference instance
             */
            static create(properties: firn.v1.Reference.$Shape): firn.v1.Reference & firn.v1.Reference.$Shape;
            static create(properties?: firn.v1.Reference.$Properties): firn.v1.Reference;

            /**
             * Encodes the specified Reference message. Does not implicitly {@link firn.v1.Reference.verify|verify} messages.
             * @param message Reference message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Reference.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Reference message, length delimited. Does not implicitly {@link firn.v1.Reference.verify|verify} messages.
             * @param message Reference message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Reference.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Reference message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Reference & firn.v1.Reference.$Shape} Reference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Reference & firn.v1.Reference.$Shape;

            /**
             * Decodes a Reference message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Reference & firn.v1.Reference.$Shape} Reference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Reference & firn.v1.Reference.$Shape;

            /**
             * Verifies a Reference message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Reference message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Reference
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Reference;

            /**
             * Creates a plain object from a Reference message. Also converts values to other types if specified.
             * @param message Reference
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Reference, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Reference to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Reference
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Reference {

            /** Properties of a Reference. */
            interface $Properties {

                /** Reference table */
                table?: (string|null);

                /** Reference columns */
                columns?: (firn.v1.ConstraintColumn.$Properties[]|null);

                /** Reference match */
                match?: (string|null);

                /** Reference onUpdate */
                onUpdate?: (string|null);

                /** Reference onDelete */
                onDelete?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Reference. */
            type $Shape = firn.v1.Reference.$Properties;
        }

        /**
         * Properties of a Constraint.
         * @deprecated Use firn.v1.Constraint.$Properties instead.
         */
        interface IConstraint extends firn.v1.Constraint.$Properties {
        }

        /** Represents a Constraint. */
        class Constraint {

            /**
             * Constructs a new Constraint.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Constraint.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Constraint name. */
            name: string;

            /** Constraint kind. */
            kind: firn.v1.ConstraintKind;

            /** Constraint columns. */
            columns: firn.v1.ConstraintColumn.$Properties[];

            /** Constraint expression. */
            expression: string;

            /** Constraint reference. */
            reference?: (firn.v1.Reference.$Properties|null);

            /** Constraint enforced. */
            enforced: boolean;

            /**
             * Creates a new Constraint instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Constraint instance
             */
            static create(properties: firn.v1.Constraint.$Shape): firn.v1.Constraint & firn.v1.Constraint.$Shape;
            static create(properties?: firn.v1.Constraint.$Properties): firn.v1.Constraint;

            /**
             * Encodes the specified Constraint message. Does not implicitly {@link firn.v1.Constraint.verify|verify} messages.
             * @param message Constraint message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Constraint.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Constraint message, length delimited. Does not implicitly {@link firn.v1.Constraint.verify|verify} messages.
             * @param message Constraint message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Constraint.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Constraint message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Constraint & firn.v1.Constraint.$Shape} Constraint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Constraint & firn.v1.Constraint.$Shape;

            /**
             * Decodes a Constraint message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Constraint & firn.v1.Constraint.$Shape} Constraint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Constraint & firn.v1.Constraint.$Shape;

            /**
             * Verifies a Constraint message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Constraint message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Constraint
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Constraint;

            /**
             * Creates a plain object from a Constraint message. Also converts values to other types if specified.
             * @param message Constraint
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Constraint, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Constraint to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Constraint
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Constraint {

            /** Properties of a Constraint. */
            interface $Properties {

                /** Constraint name */
                name?: (string|null);

                /** Constraint kind */
                kind?: (firn.v1.ConstraintKind|null);

                /** Constraint columns */
                columns?: (firn.v1.ConstraintColumn.$Properties[]|null);

                /** Constraint expression */
                expression?: (string|null);

                /** Constraint reference */
                reference?: (firn.v1.Reference.$Properties|null);

                /** Constraint enforced */
                enforced?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Constraint. */
            type $Shape = firn.v1.Constraint.$Properties;
        }

        /**
         * Properties of a SnapshotConstraints.
         * @deprecated Use firn.v1.SnapshotConstraints.$Properties instead.
         */
        interface ISnapshotConstraints extends firn.v1.SnapshotConstraints.$Properties {
        }

        /** Represents a SnapshotConstraints. */
        class SnapshotConstraints {

            /**
             * Constructs a new SnapshotConstraints.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.SnapshotConstraints.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SnapshotConstraints envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** SnapshotConstraints snapshotId. */
            snapshotId: Long;

            /** SnapshotConstraints constraints. */
            constraints: firn.v1.Constraint.$Properties[];

            /**
             * Creates a new SnapshotConstraints instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SnapshotConstraints instance
             */
            static create(properties: firn.v1.SnapshotConstraints.$Shape): firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape;
            static create(properties?: firn.v1.SnapshotConstraints.$Properties): firn.v1.SnapshotConstraints;

            /**
             * Encodes the specified SnapshotConstraints message. Does not implicitly {@link firn.v1.SnapshotConstraints.verify|verify} messages.
             * @param message SnapshotConstraints message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.SnapshotConstraints.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified SnapshotConstraints message, length delimited. Does not implicitly {@link firn.v1.SnapshotConstraints.verify|verify} messages.
             * @param message SnapshotConstraints message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.SnapshotConstraints.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SnapshotConstraints message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape} SnapshotConstraints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape;

            /**
             * Decodes a SnapshotConstraints message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape} SnapshotConstraints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape;

            /**
             * Verifies a SnapshotConstraints message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a SnapshotConstraints message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns SnapshotConstraints
             */
            static fromObject(object: { [k: string]: any }): firn.v1.SnapshotConstraints;

            /**
             * Creates a plain object from a SnapshotConstraints message. Also converts values to other types if specified.
             * @param message SnapshotConstraints
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.SnapshotConstraints, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SnapshotConstraints to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for SnapshotConstraints
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SnapshotConstraints {

            /** Properties of a SnapshotConstraints. */
            interface $Properties {

                /** SnapshotConstraints envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** SnapshotConstraints snapshotId */
                snapshotId?: (Long|null);

                /** SnapshotConstraints constraints */
                constraints?: (firn.v1.Constraint.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SnapshotConstraints. */
            type $Shape = firn.v1.SnapshotConstraints.$Properties;
        }

        /**
         * Properties of a Namespace.
         * @deprecated Use firn.v1.Namespace.$Properties instead.
         */
        interface INamespace extends firn.v1.Namespace.$Properties {
        }

        /** Represents a Namespace. */
        class Namespace {

            /**
             * Constructs a new Namespace.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Namespace.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Namespace envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Namespace path. */
            path: string[];

            /** Namespace description. */
            description: string;

            /** Namespace properties. */
            properties: { [k: string]: string };

            /** Namespace createdAtMs. */
            createdAtMs: Long;

            /** Namespace state. */
            state: firn.v1.EntityState;

            /** Namespace nameRevision. */
            nameRevision: Uint8Array;

            /** Namespace guardGeneration. */
            guardGeneration: number;

            /** Namespace protected. */
            protected: boolean;

            /** Namespace purgeAfterMs. */
            purgeAfterMs: Long;

            /** Namespace catalogId. */
            catalogId: Uint8Array;

            /** Namespace parentId. */
            parentId: Uint8Array;

            /** Namespace owner. */
            owner: Uint8Array;

            /** Namespace deletingJob. */
            deletingJob: Uint8Array;

            /**
             * Creates a new Namespace instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Namespace instance
             */
            static create(properties: firn.v1.Namespace.$Shape): firn.v1.Namespace & firn.v1.Namespace.$Shape;
            static create(properties?: firn.v1.Namespace.$Properties): firn.v1.Namespace;

            /**
             * Encodes the specified Namespace message. Does not implicitly {@link firn.v1.Namespace.verify|verify} messages.
             * @param message Namespace message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Namespace.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Namespace message, length delimited. Does not implicitly {@link firn.v1.Namespace.verify|verify} messages.
             * @param message Namespace message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Namespace.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Namespace message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Namespace & firn.v1.Namespace.$Shape} Namespace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Namespace & firn.v1.Namespace.$Shape;

            /**
             * Decodes a Namespace message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Namespace & firn.v1.Namespace.$Shape} Namespace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Namespace & firn.v1.Namespace.$Shape;

            /**
             * Verifies a Namespace message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Namespace message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Namespace
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Namespace;

            /**
             * Creates a plain object from a Namespace message. Also converts values to other types if specified.
             * @param message Namespace
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Namespace, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Namespace to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Namespace
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Namespace {

            /** Properties of a Namespace. */
            interface $Properties {

                /** Namespace envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Namespace path */
                path?: (string[]|null);

                /** Namespace description */
                description?: (string|null);

                /** Namespace properties */
                properties?: ({ [k: string]: string }|null);

                /** Namespace createdAtMs */
                createdAtMs?: (Long|null);

                /** Namespace state */
                state?: (firn.v1.EntityState|null);

                /** Namespace nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Namespace guardGeneration */
                guardGeneration?: (number|null);

                /** Namespace protected */
                "protected"?: (boolean|null);

                /** Namespace purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** Namespace catalogId */
                catalogId?: (Uint8Array|null);

                /** Namespace parentId */
                parentId?: (Uint8Array|null);

                /** Namespace owner */
                owner?: (Uint8Array|null);

                /** Namespace deletingJob */
                deletingJob?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Namespace. */
            type $Shape = firn.v1.Namespace.$Properties;
        }

        /** TableFormat enum. */
        enum TableFormat {

            /** TABLE_FORMAT_UNSPECIFIED value */
            TABLE_FORMAT_UNSPECIFIED = 0,

            /** TABLE_FORMAT_ICEBERG value */
            TABLE_FORMAT_ICEBERG = 1,

            /** TABLE_FORMAT_ROW value */
            TABLE_FORMAT_ROW = 2,

            /** TABLE_FORMAT_DELTA value */
            TABLE_FORMAT_DELTA = 3,

            /** TABLE_FORMAT_HUDI value */
            TABLE_FORMAT_HUDI = 4,

            /** TABLE_FORMAT_OTHER value */
            TABLE_FORMAT_OTHER = 5
        }

        /**
         * Properties of a PointerSummary.
         * @deprecated Use firn.v1.PointerSummary.$Properties instead.
         */
        interface IPointerSummary extends firn.v1.PointerSummary.$Properties {
        }

        /** Represents a PointerSummary. */
        class PointerSummary {

            /**
             * Constructs a new PointerSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.PointerSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PointerSummary entityType. */
            entityType: firn.v1.EntityType;

            /** PointerSummary entityId. */
            entityId: Uint8Array;

            /** PointerSummary name. */
            name: string;

            /** PointerSummary parentId. */
            parentId: Uint8Array;

            /** PointerSummary catalogId. */
            catalogId: Uint8Array;

            /** PointerSummary nameRevision. */
            nameRevision: Uint8Array;

            /** PointerSummary revision. */
            revision: Uint8Array;

            /** PointerSummary state. */
            state: firn.v1.EntityState;

            /** PointerSummary format. */
            format: firn.v1.TableFormat;

            /** PointerSummary tableUuid. */
            tableUuid: Uint8Array;

            /** PointerSummary metadataLocation. */
            metadataLocation: string;

            /** PointerSummary guardGeneration. */
            guardGeneration: number;

            /** PointerSummary protected. */
            protected: boolean;

            /** PointerSummary contentHash. */
            contentHash: Uint8Array;

            /** PointerSummary purgeAfterMs. */
            purgeAfterMs: Long;

            /** PointerSummary heldUntilMs. */
            heldUntilMs: Long;

            /** PointerSummary owner. */
            owner: Uint8Array;

            /**
             * Creates a new PointerSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PointerSummary instance
             */
            static create(properties: firn.v1.PointerSummary.$Shape): firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape;
            static create(properties?: firn.v1.PointerSummary.$Properties): firn.v1.PointerSummary;

            /**
             * Encodes the specified PointerSummary message. Does not implicitly {@link firn.v1.PointerSummary.verify|verify} messages.
             * @param message PointerSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.PointerSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified PointerSummary message, length delimited. Does not implicitly {@link firn.v1.PointerSummary.verify|verify} messages.
             * @param message PointerSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.PointerSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PointerSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape} PointerSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape;

            /**
             * Decodes a PointerSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape} PointerSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape;

            /**
             * Verifies a PointerSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a PointerSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns PointerSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.PointerSummary;

            /**
             * Creates a plain object from a PointerSummary message. Also converts values to other types if specified.
             * @param message PointerSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.PointerSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this PointerSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for PointerSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace PointerSummary {

            /** Properties of a PointerSummary. */
            interface $Properties {

                /** PointerSummary entityType */
                entityType?: (firn.v1.EntityType|null);

                /** PointerSummary entityId */
                entityId?: (Uint8Array|null);

                /** PointerSummary name */
                name?: (string|null);

                /** PointerSummary parentId */
                parentId?: (Uint8Array|null);

                /** PointerSummary catalogId */
                catalogId?: (Uint8Array|null);

                /** PointerSummary nameRevision */
                nameRevision?: (Uint8Array|null);

                /** PointerSummary revision */
                revision?: (Uint8Array|null);

                /** PointerSummary state */
                state?: (firn.v1.EntityState|null);

                /** PointerSummary format */
                format?: (firn.v1.TableFormat|null);

                /** PointerSummary tableUuid */
                tableUuid?: (Uint8Array|null);

                /** PointerSummary metadataLocation */
                metadataLocation?: (string|null);

                /** PointerSummary guardGeneration */
                guardGeneration?: (number|null);

                /** PointerSummary protected */
                "protected"?: (boolean|null);

                /** PointerSummary contentHash */
                contentHash?: (Uint8Array|null);

                /** PointerSummary purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** PointerSummary heldUntilMs */
                heldUntilMs?: (Long|null);

                /** PointerSummary owner */
                owner?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PointerSummary. */
            type $Shape = firn.v1.PointerSummary.$Properties;
        }

        /**
         * Properties of an ApiKeySummary.
         * @deprecated Use firn.v1.ApiKeySummary.$Properties instead.
         */
        interface IApiKeySummary extends firn.v1.ApiKeySummary.$Properties {
        }

        /** Represents an ApiKeySummary. */
        class ApiKeySummary {

            /**
             * Constructs a new ApiKeySummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ApiKeySummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ApiKeySummary accountId. */
            accountId: Uint8Array;

            /** ApiKeySummary principalId. */
            principalId: Uint8Array;

            /**
             * Creates a new ApiKeySummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ApiKeySummary instance
             */
            static create(properties: firn.v1.ApiKeySummary.$Shape): firn.v1.ApiKeySummary & firn.v1.ApiKeySummary.$Shape;
            static create(properties?: firn.v1.ApiKeySummary.$Properties): firn.v1.ApiKeySummary;

            /**
             * Encodes the specified ApiKeySummary message. Does not implicitly {@link firn.v1.ApiKeySummary.verify|verify} messages.
             * @param message ApiKeySummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ApiKeySummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ApiKeySummary message, length delimited. Does not implicitly {@link firn.v1.ApiKeySummary.verify|verify} messages.
             * @param message ApiKeySummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ApiKeySummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ApiKeySummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ApiKeySummary & firn.v1.ApiKeySummary.$Shape} ApiKeySummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ApiKeySummary & firn.v1.ApiKeySummary.$Shape;

            /**
             * Decodes an ApiKeySummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ApiKeySummary & firn.v1.ApiKeySummary.$Shape} ApiKeySummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ApiKeySummary & firn.v1.ApiKeySummary.$Shape;

            /**
             * Verifies an ApiKeySummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an ApiKeySummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ApiKeySummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ApiKeySummary;

            /**
             * Creates a plain object from an ApiKeySummary message. Also converts values to other types if specified.
             * @param message ApiKeySummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ApiKeySummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ApiKeySummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ApiKeySummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ApiKeySummary {

            /** Properties of an ApiKeySummary. */
            interface $Properties {

                /** ApiKeySummary accountId */
                accountId?: (Uint8Array|null);

                /** ApiKeySummary principalId */
                principalId?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ApiKeySummary. */
            type $Shape = firn.v1.ApiKeySummary.$Properties;
        }

        /**
         * Properties of a StorageSecretSummary.
         * @deprecated Use firn.v1.StorageSecretSummary.$Properties instead.
         */
        interface IStorageSecretSummary extends firn.v1.StorageSecretSummary.$Properties {
        }

        /** Represents a StorageSecretSummary. */
        class StorageSecretSummary {

            /**
             * Constructs a new StorageSecretSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.StorageSecretSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StorageSecretSummary profileId. */
            profileId: Uint8Array;

            /** StorageSecretSummary createdAtMs. */
            createdAtMs: Long;

            /** StorageSecretSummary sealed. */
            sealed: Uint8Array;

            /**
             * Creates a new StorageSecretSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StorageSecretSummary instance
             */
            static create(properties: firn.v1.StorageSecretSummary.$Shape): firn.v1.StorageSecretSummary & firn.v1.StorageSecretSummary.$Shape;
            static create(properties?: firn.v1.StorageSecretSummary.$Properties): firn.v1.StorageSecretSummary;

            /**
             * Encodes the specified StorageSecretSummary message. Does not implicitly {@link firn.v1.StorageSecretSummary.verify|verify} messages.
             * @param message StorageSecretSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.StorageSecretSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified StorageSecretSummary message, length delimited. Does not implicitly {@link firn.v1.StorageSecretSummary.verify|verify} messages.
             * @param message StorageSecretSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.StorageSecretSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StorageSecretSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.StorageSecretSummary & firn.v1.StorageSecretSummary.$Shape} StorageSecretSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.StorageSecretSummary & firn.v1.StorageSecretSummary.$Shape;

            /**
             * Decodes a StorageSecretSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.StorageSecretSummary & firn.v1.StorageSecretSummary.$Shape} StorageSecretSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.StorageSecretSummary & firn.v1.StorageSecretSummary.$Shape;

            /**
             * Verifies a StorageSecretSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a StorageSecretSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns StorageSecretSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.StorageSecretSummary;

            /**
             * Creates a plain object from a StorageSecretSummary message. Also converts values to other types if specified.
             * @param message StorageSecretSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.StorageSecretSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this StorageSecretSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for StorageSecretSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace StorageSecretSummary {

            /** Properties of a StorageSecretSummary. */
            interface $Properties {

                /** StorageSecretSummary profileId */
                profileId?: (Uint8Array|null);

                /** StorageSecretSummary createdAtMs */
                createdAtMs?: (Long|null);

                /** StorageSecretSummary sealed */
                sealed?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StorageSecretSummary. */
            type $Shape = firn.v1.StorageSecretSummary.$Properties;
        }

        /**
         * Properties of a StorageRootSummary.
         * @deprecated Use firn.v1.StorageRootSummary.$Properties instead.
         */
        interface IStorageRootSummary extends firn.v1.StorageRootSummary.$Properties {
        }

        /** Represents a StorageRootSummary. */
        class StorageRootSummary {

            /**
             * Constructs a new StorageRootSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.StorageRootSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StorageRootSummary accountId. */
            accountId: Uint8Array;

            /** StorageRootSummary profileId. */
            profileId: Uint8Array;

            /**
             * Creates a new StorageRootSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StorageRootSummary instance
             */
            static create(properties: firn.v1.StorageRootSummary.$Shape): firn.v1.StorageRootSummary & firn.v1.StorageRootSummary.$Shape;
            static create(properties?: firn.v1.StorageRootSummary.$Properties): firn.v1.StorageRootSummary;

            /**
             * Encodes the specified StorageRootSummary message. Does not implicitly {@link firn.v1.StorageRootSummary.verify|verify} messages.
             * @param message StorageRootSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.StorageRootSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified StorageRootSummary message, length delimited. Does not implicitly {@link firn.v1.StorageRootSummary.verify|verify} messages.
             * @param message StorageRootSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.StorageRootSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StorageRootSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.StorageRootSummary & firn.v1.StorageRootSummary.$Shape} StorageRootSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.StorageRootSummary & firn.v1.StorageRootSummary.$Shape;

            /**
             * Decodes a StorageRootSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.StorageRootSummary & firn.v1.StorageRootSummary.$Shape} StorageRootSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.StorageRootSummary & firn.v1.StorageRootSummary.$Shape;

            /**
             * Verifies a StorageRootSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a StorageRootSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns StorageRootSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.StorageRootSummary;

            /**
             * Creates a plain object from a StorageRootSummary message. Also converts values to other types if specified.
             * @param message StorageRootSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.StorageRootSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this StorageRootSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for StorageRootSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace StorageRootSummary {

            /** Properties of a StorageRootSummary. */
            interface $Properties {

                /** StorageRootSummary accountId */
                accountId?: (Uint8Array|null);

                /** StorageRootSummary profileId */
                profileId?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StorageRootSummary. */
            type $Shape = firn.v1.StorageRootSummary.$Properties;
        }

        /**
         * Properties of a SigningKeySummary.
         * @deprecated Use firn.v1.SigningKeySummary.$Properties instead.
         */
        interface ISigningKeySummary extends firn.v1.SigningKeySummary.$Properties {
        }

        /** Represents a SigningKeySummary. */
        class SigningKeySummary {

            /**
             * Constructs a new SigningKeySummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.SigningKeySummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SigningKeySummary createdAtMs. */
            createdAtMs: Long;

            /** SigningKeySummary signsFromMs. */
            signsFromMs: Long;

            /** SigningKeySummary wrapped. */
            wrapped: Uint8Array;

            /**
             * Creates a new SigningKeySummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SigningKeySummary instance
             */
            static create(properties: firn.v1.SigningKeySummary.$Shape): firn.v1.SigningKeySummary & firn.v1.SigningKeySummary.$Shape;
            static create(properties?: firn.v1.SigningKeySummary.$Properties): firn.v1.SigningKeySummary;

            /**
             * Encodes the specified SigningKeySummary message. Does not implicitly {@link firn.v1.SigningKeySummary.verify|verify} messages.
             * @param message SigningKeySummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.SigningKeySummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified SigningKeySummary message, length delimited. Does not implicitly {@link firn.v1.SigningKeySummary.verify|verify} messages.
             * @param message SigningKeySummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.SigningKeySummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SigningKeySummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.SigningKeySummary & firn.v1.SigningKeySummary.$Shape} SigningKeySummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.SigningKeySummary & firn.v1.SigningKeySummary.$Shape;

            /**
             * Decodes a SigningKeySummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.SigningKeySummary & firn.v1.SigningKeySummary.$Shape} SigningKeySummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.SigningKeySummary & firn.v1.SigningKeySummary.$Shape;

            /**
             * Verifies a SigningKeySummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a SigningKeySummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns SigningKeySummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.SigningKeySummary;

            /**
             * Creates a plain object from a SigningKeySummary message. Also converts values to other types if specified.
             * @param message SigningKeySummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.SigningKeySummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SigningKeySummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for SigningKeySummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SigningKeySummary {

            /** Properties of a SigningKeySummary. */
            interface $Properties {

                /** SigningKeySummary createdAtMs */
                createdAtMs?: (Long|null);

                /** SigningKeySummary signsFromMs */
                signsFromMs?: (Long|null);

                /** SigningKeySummary wrapped */
                wrapped?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SigningKeySummary. */
            type $Shape = firn.v1.SigningKeySummary.$Properties;
        }

        /**
         * Properties of a ShardSummary.
         * @deprecated Use firn.v1.ShardSummary.$Properties instead.
         */
        interface IShardSummary extends firn.v1.ShardSummary.$Properties {
        }

        /** Represents a ShardSummary. */
        class ShardSummary {

            /**
             * Constructs a new ShardSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ShardSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ShardSummary epoch. */
            epoch: Long;

            /** ShardSummary node. */
            node: string;

            /** ShardSummary host. */
            host: string;

            /** ShardSummary url. */
            url: string;

            /** ShardSummary state. */
            state: firn.v1.ShardState;

            /** ShardSummary sinceMs. */
            sinceMs: Long;

            /** ShardSummary pid. */
            pid: Long;

            /** ShardSummary bootId. */
            bootId: string;

            /**
             * Creates a new ShardSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ShardSummary instance
             */
            static create(properties: firn.v1.ShardSummary.$Shape): firn.v1.ShardSummary & firn.v1.ShardSummary.$Shape;
            static create(properties?: firn.v1.ShardSummary.$Properties): firn.v1.ShardSummary;

            /**
             * Encodes the specified ShardSummary message. Does not implicitly {@link firn.v1.ShardSummary.verify|verify} messages.
             * @param message ShardSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ShardSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ShardSummary message, length delimited. Does not implicitly {@link firn.v1.ShardSummary.verify|verify} messages.
             * @param message ShardSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ShardSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ShardSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ShardSummary & firn.v1.ShardSummary.$Shape} ShardSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ShardSummary & firn.v1.ShardSummary.$Shape;

            /**
             * Decodes a ShardSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ShardSummary & firn.v1.ShardSummary.$Shape} ShardSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ShardSummary & firn.v1.ShardSummary.$Shape;

            /**
             * Verifies a ShardSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ShardSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ShardSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ShardSummary;

            /**
             * Creates a plain object from a ShardSummary message. Also converts values to other types if specified.
             * @param message ShardSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ShardSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ShardSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ShardSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ShardSummary {

            /** Properties of a ShardSummary. */
            interface $Properties {

                /** ShardSummary epoch */
                epoch?: (Long|null);

                /** ShardSummary node */
                node?: (string|null);

                /** ShardSummary host */
                host?: (string|null);

                /** ShardSummary url */
                url?: (string|null);

                /** ShardSummary state */
                state?: (firn.v1.ShardState|null);

                /** ShardSummary sinceMs */
                sinceMs?: (Long|null);

                /** ShardSummary pid */
                pid?: (Long|null);

                /** ShardSummary bootId */
                bootId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ShardSummary. */
            type $Shape = firn.v1.ShardSummary.$Properties;
        }

        /** ShardState enum. */
        enum ShardState {

            /** SHARD_STATE_UNSPECIFIED value */
            SHARD_STATE_UNSPECIFIED = 0,

            /** SHARD_STATE_OPEN value */
            SHARD_STATE_OPEN = 1,

            /** SHARD_STATE_DRAINING value */
            SHARD_STATE_DRAINING = 2,

            /** SHARD_STATE_FREE value */
            SHARD_STATE_FREE = 3
        }

        /**
         * Properties of a SnapshotSummary.
         * @deprecated Use firn.v1.SnapshotSummary.$Properties instead.
         */
        interface ISnapshotSummary extends firn.v1.SnapshotSummary.$Properties {
        }

        /** Represents a SnapshotSummary. */
        class SnapshotSummary {

            /**
             * Constructs a new SnapshotSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.SnapshotSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SnapshotSummary snapshotId. */
            snapshotId: Long;

            /** SnapshotSummary timestampMs. */
            timestampMs: Long;

            /** SnapshotSummary tableVersion. */
            tableVersion: Long;

            /** SnapshotSummary contentHash. */
            contentHash: Uint8Array;

            /**
             * Creates a new SnapshotSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SnapshotSummary instance
             */
            static create(properties: firn.v1.SnapshotSummary.$Shape): firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape;
            static create(properties?: firn.v1.SnapshotSummary.$Properties): firn.v1.SnapshotSummary;

            /**
             * Encodes the specified SnapshotSummary message. Does not implicitly {@link firn.v1.SnapshotSummary.verify|verify} messages.
             * @param message SnapshotSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.SnapshotSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified SnapshotSummary message, length delimited. Does not implicitly {@link firn.v1.SnapshotSummary.verify|verify} messages.
             * @param message SnapshotSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.SnapshotSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SnapshotSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape} SnapshotSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape;

            /**
             * Decodes a SnapshotSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape} SnapshotSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape;

            /**
             * Verifies a SnapshotSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a SnapshotSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns SnapshotSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.SnapshotSummary;

            /**
             * Creates a plain object from a SnapshotSummary message. Also converts values to other types if specified.
             * @param message SnapshotSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.SnapshotSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this SnapshotSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for SnapshotSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SnapshotSummary {

            /** Properties of a SnapshotSummary. */
            interface $Properties {

                /** SnapshotSummary snapshotId */
                snapshotId?: (Long|null);

                /** SnapshotSummary timestampMs */
                timestampMs?: (Long|null);

                /** SnapshotSummary tableVersion */
                tableVersion?: (Long|null);

                /** SnapshotSummary contentHash */
                contentHash?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SnapshotSummary. */
            type $Shape = firn.v1.SnapshotSummary.$Properties;
        }

        /**
         * Properties of a PartSummary.
         * @deprecated Use firn.v1.PartSummary.$Properties instead.
         */
        interface IPartSummary extends firn.v1.PartSummary.$Properties {
        }

        /** Represents a PartSummary. */
        class PartSummary {

            /**
             * Constructs a new PartSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.PartSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PartSummary snapshotId. */
            snapshotId: Long;

            /** PartSummary contentHash. */
            contentHash: Uint8Array;

            /** PartSummary revision. */
            revision: Uint8Array;

            /** PartSummary updatedAtMs. */
            updatedAtMs: Long;

            /** PartSummary updatedBy. */
            updatedBy: string;

            /** PartSummary offset. */
            offset: number;

            /** PartSummary length. */
            length: number;

            /**
             * Creates a new PartSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PartSummary instance
             */
            static create(properties: firn.v1.PartSummary.$Shape): firn.v1.PartSummary & firn.v1.PartSummary.$Shape;
            static create(properties?: firn.v1.PartSummary.$Properties): firn.v1.PartSummary;

            /**
             * Encodes the specified PartSummary message. Does not implicitly {@link firn.v1.PartSummary.verify|verify} messages.
             * @param message PartSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.PartSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified PartSummary message, length delimited. Does not implicitly {@link firn.v1.PartSummary.verify|verify} messages.
             * @param message PartSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.PartSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PartSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.PartSummary & firn.v1.PartSummary.$Shape} PartSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.PartSummary & firn.v1.PartSummary.$Shape;

            /**
             * Decodes a PartSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.PartSummary & firn.v1.PartSummary.$Shape} PartSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.PartSummary & firn.v1.PartSummary.$Shape;

            /**
             * Verifies a PartSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a PartSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns PartSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.PartSummary;

            /**
             * Creates a plain object from a PartSummary message. Also converts values to other types if specified.
             * @param message PartSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.PartSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this PartSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for PartSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace PartSummary {

            /** Properties of a PartSummary. */
            interface $Properties {

                /** PartSummary snapshotId */
                snapshotId?: (Long|null);

                /** PartSummary contentHash */
                contentHash?: (Uint8Array|null);

                /** PartSummary revision */
                revision?: (Uint8Array|null);

                /** PartSummary updatedAtMs */
                updatedAtMs?: (Long|null);

                /** PartSummary updatedBy */
                updatedBy?: (string|null);

                /** PartSummary offset */
                offset?: (number|null);

                /** PartSummary length */
                length?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PartSummary. */
            type $Shape = firn.v1.PartSummary.$Properties;
        }

        /**
         * Properties of a ReceiptSummary.
         * @deprecated Use firn.v1.ReceiptSummary.$Properties instead.
         */
        interface IReceiptSummary extends firn.v1.ReceiptSummary.$Properties {
        }

        /** Represents a ReceiptSummary. */
        class ReceiptSummary {

            /**
             * Constructs a new ReceiptSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ReceiptSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReceiptSummary requestHash. */
            requestHash: Uint8Array;

            /** ReceiptSummary principal. */
            principal: string;

            /** ReceiptSummary status. */
            status: number;

            /** ReceiptSummary key. */
            key: string;

            /** ReceiptSummary version. */
            version: Long;

            /** ReceiptSummary metadataLocation. */
            metadataLocation: string;

            /** ReceiptSummary expiresAtMs. */
            expiresAtMs: Long;

            /** ReceiptSummary changeId. */
            changeId: Uint8Array;

            /** ReceiptSummary errorKind. */
            errorKind: string;

            /** ReceiptSummary errorCode. */
            errorCode: string;

            /** ReceiptSummary errorFacts. */
            errorFacts: string;

            /** ReceiptSummary detail. */
            detail: string;

            /**
             * Creates a new ReceiptSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReceiptSummary instance
             */
            static create(properties: firn.v1.ReceiptSummary.$Shape): firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape;
            static create(properties?: firn.v1.ReceiptSummary.$Properties): firn.v1.ReceiptSummary;

            /**
             * Encodes the specified ReceiptSummary message. Does not implicitly {@link firn.v1.ReceiptSummary.verify|verify} messages.
             * @param message ReceiptSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ReceiptSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ReceiptSummary message, length delimited. Does not implicitly {@link firn.v1.ReceiptSummary.verify|verify} messages.
             * @param message ReceiptSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ReceiptSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReceiptSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape} ReceiptSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape;

            /**
             * Decodes a ReceiptSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape} ReceiptSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape;

            /**
             * Verifies a ReceiptSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ReceiptSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ReceiptSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ReceiptSummary;

            /**
             * Creates a plain object from a ReceiptSummary message. Also converts values to other types if specified.
             * @param message ReceiptSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ReceiptSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ReceiptSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ReceiptSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ReceiptSummary {

            /** Properties of a ReceiptSummary. */
            interface $Properties {

                /** ReceiptSummary requestHash */
                requestHash?: (Uint8Array|null);

                /** ReceiptSummary principal */
                principal?: (string|null);

                /** ReceiptSummary status */
                status?: (number|null);

                /** ReceiptSummary key */
                key?: (string|null);

                /** ReceiptSummary version */
                version?: (Long|null);

                /** ReceiptSummary metadataLocation */
                metadataLocation?: (string|null);

                /** ReceiptSummary expiresAtMs */
                expiresAtMs?: (Long|null);

                /** ReceiptSummary changeId */
                changeId?: (Uint8Array|null);

                /** ReceiptSummary errorKind */
                errorKind?: (string|null);

                /** ReceiptSummary errorCode */
                errorCode?: (string|null);

                /** ReceiptSummary errorFacts */
                errorFacts?: (string|null);

                /** ReceiptSummary detail */
                detail?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReceiptSummary. */
            type $Shape = firn.v1.ReceiptSummary.$Properties;
        }

        /**
         * Properties of a JobSummary.
         * @deprecated Use firn.v1.JobSummary.$Properties instead.
         */
        interface IJobSummary extends firn.v1.JobSummary.$Properties {
        }

        /** Represents a JobSummary. */
        class JobSummary {

            /**
             * Constructs a new JobSummary.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.JobSummary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** JobSummary kind. */
            kind: string;

            /** JobSummary subjectType. */
            subjectType: firn.v1.EntityType;

            /** JobSummary subjectId. */
            subjectId: Uint8Array;

            /** JobSummary step. */
            step: string;

            /** JobSummary dueMs. */
            dueMs: Long;

            /** JobSummary holder. */
            holder: Uint8Array;

            /** JobSummary heldUntilMs. */
            heldUntilMs: Long;

            /** JobSummary tries. */
            tries: number;

            /** JobSummary failures. */
            failures: number;

            /** JobSummary lastFailure. */
            lastFailure: string;

            /** JobSummary lastMessage. */
            lastMessage: string;

            /** JobSummary done. */
            done: Long;

            /** JobSummary total. */
            total: Long;

            /** JobSummary endedMs. */
            endedMs: Long;

            /** JobSummary cancelled. */
            cancelled: boolean;

            /**
             * Creates a new JobSummary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns JobSummary instance
             */
            static create(properties: firn.v1.JobSummary.$Shape): firn.v1.JobSummary & firn.v1.JobSummary.$Shape;
            static create(properties?: firn.v1.JobSummary.$Properties): firn.v1.JobSummary;

            /**
             * Encodes the specified JobSummary message. Does not implicitly {@link firn.v1.JobSummary.verify|verify} messages.
             * @param message JobSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.JobSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified JobSummary message, length delimited. Does not implicitly {@link firn.v1.JobSummary.verify|verify} messages.
             * @param message JobSummary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.JobSummary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a JobSummary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.JobSummary & firn.v1.JobSummary.$Shape} JobSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.JobSummary & firn.v1.JobSummary.$Shape;

            /**
             * Decodes a JobSummary message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.JobSummary & firn.v1.JobSummary.$Shape} JobSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.JobSummary & firn.v1.JobSummary.$Shape;

            /**
             * Verifies a JobSummary message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a JobSummary message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns JobSummary
             */
            static fromObject(object: { [k: string]: any }): firn.v1.JobSummary;

            /**
             * Creates a plain object from a JobSummary message. Also converts values to other types if specified.
             * @param message JobSummary
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.JobSummary, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this JobSummary to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for JobSummary
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace JobSummary {

            /** Properties of a JobSummary. */
            interface $Properties {

                /** JobSummary kind */
                kind?: (string|null);

                /** JobSummary subjectType */
                subjectType?: (firn.v1.EntityType|null);

                /** JobSummary subjectId */
                subjectId?: (Uint8Array|null);

                /** JobSummary step */
                step?: (string|null);

                /** JobSummary dueMs */
                dueMs?: (Long|null);

                /** JobSummary holder */
                holder?: (Uint8Array|null);

                /** JobSummary heldUntilMs */
                heldUntilMs?: (Long|null);

                /** JobSummary tries */
                tries?: (number|null);

                /** JobSummary failures */
                failures?: (number|null);

                /** JobSummary lastFailure */
                lastFailure?: (string|null);

                /** JobSummary lastMessage */
                lastMessage?: (string|null);

                /** JobSummary done */
                done?: (Long|null);

                /** JobSummary total */
                total?: (Long|null);

                /** JobSummary endedMs */
                endedMs?: (Long|null);

                /** JobSummary cancelled */
                cancelled?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a JobSummary. */
            type $Shape = firn.v1.JobSummary.$Properties;
        }

        /** PrincipalKind enum. */
        enum PrincipalKind {

            /** PRINCIPAL_KIND_UNSPECIFIED value */
            PRINCIPAL_KIND_UNSPECIFIED = 0,

            /** PRINCIPAL_KIND_LOCAL value */
            PRINCIPAL_KIND_LOCAL = 1,

            /** PRINCIPAL_KIND_EXTERNAL value */
            PRINCIPAL_KIND_EXTERNAL = 2,

            /** PRINCIPAL_KIND_ROLE value */
            PRINCIPAL_KIND_ROLE = 3
        }

        /**
         * Properties of a ScramVerifier.
         * @deprecated Use firn.v1.ScramVerifier.$Properties instead.
         */
        interface IScramVerifier extends firn.v1.ScramVerifier.$Properties {
        }

        /** Represents a ScramVerifier. */
        class ScramVerifier {

            /**
             * Constructs a new ScramVerifier.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ScramVerifier.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ScramVerifier salt. */
            salt: Uint8Array;

            /** ScramVerifier iterations. */
            iterations: number;

            /** ScramVerifier storedKey. */
            storedKey: Uint8Array;

            /** ScramVerifier serverKey. */
            serverKey: Uint8Array;

            /**
             * Creates a new ScramVerifier instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ScramVerifier instance
             */
            static create(properties: firn.v1.ScramVerifier.$Shape): firn.v1.ScramVerifier & firn.v1.ScramVerifier.$Shape;
            static create(properties?: firn.v1.ScramVerifier.$Properties): firn.v1.ScramVerifier;

            /**
             * Encodes the specified ScramVerifier message. Does not implicitly {@link firn.v1.ScramVerifier.verify|verify} messages.
             * @param message ScramVerifier message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ScramVerifier.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ScramVerifier message, length delimited. Does not implicitly {@link firn.v1.ScramVerifier.verify|verify} messages.
             * @param message ScramVerifier message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ScramVerifier.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ScramVerifier message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ScramVerifier & firn.v1.ScramVerifier.$Shape} ScramVerifier
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ScramVerifier & firn.v1.ScramVerifier.$Shape;

            /**
             * Decodes a ScramVerifier message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ScramVerifier & firn.v1.ScramVerifier.$Shape} ScramVerifier
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ScramVerifier & firn.v1.ScramVerifier.$Shape;

            /**
             * Verifies a ScramVerifier message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a ScramVerifier message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ScramVerifier
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ScramVerifier;

            /**
             * Creates a plain object from a ScramVerifier message. Also converts values to other types if specified.
             * @param message ScramVerifier
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ScramVerifier, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ScramVerifier to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ScramVerifier
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ScramVerifier {

            /** Properties of a ScramVerifier. */
            interface $Properties {

                /** ScramVerifier salt */
                salt?: (Uint8Array|null);

                /** ScramVerifier iterations */
                iterations?: (number|null);

                /** ScramVerifier storedKey */
                storedKey?: (Uint8Array|null);

                /** ScramVerifier serverKey */
                serverKey?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ScramVerifier. */
            type $Shape = firn.v1.ScramVerifier.$Properties;
        }

        /**
         * Properties of an ApiKey.
         * @deprecated Use firn.v1.ApiKey.$Properties instead.
         */
        interface IApiKey extends firn.v1.ApiKey.$Properties {
        }

        /** Represents an ApiKey. */
        class ApiKey {

            /**
             * Constructs a new ApiKey.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.ApiKey.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ApiKey id. */
            id: string;

            /** ApiKey secretHash. */
            secretHash: Uint8Array;

            /** ApiKey createdAtMs. */
            createdAtMs: Long;

            /** ApiKey expiresAtMs. */
            expiresAtMs: Long;

            /** ApiKey description. */
            description: string;

            /** ApiKey scram. */
            scram?: (firn.v1.ScramVerifier.$Properties|null);

            /**
             * Creates a new ApiKey instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ApiKey instance
             */
            static create(properties: firn.v1.ApiKey.$Shape): firn.v1.ApiKey & firn.v1.ApiKey.$Shape;
            static create(properties?: firn.v1.ApiKey.$Properties): firn.v1.ApiKey;

            /**
             * Encodes the specified ApiKey message. Does not implicitly {@link firn.v1.ApiKey.verify|verify} messages.
             * @param message ApiKey message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.ApiKey.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified ApiKey message, length delimited. Does not implicitly {@link firn.v1.ApiKey.verify|verify} messages.
             * @param message ApiKey message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.ApiKey.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ApiKey message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.ApiKey & firn.v1.ApiKey.$Shape} ApiKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.ApiKey & firn.v1.ApiKey.$Shape;

            /**
             * Decodes an ApiKey message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.ApiKey & firn.v1.ApiKey.$Shape} ApiKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.ApiKey & firn.v1.ApiKey.$Shape;

            /**
             * Verifies an ApiKey message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an ApiKey message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns ApiKey
             */
            static fromObject(object: { [k: string]: any }): firn.v1.ApiKey;

            /**
             * Creates a plain object from an ApiKey message. Also converts values to other types if specified.
             * @param message ApiKey
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.ApiKey, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this ApiKey to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for ApiKey
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ApiKey {

            /** Properties of an ApiKey. */
            interface $Properties {

                /** ApiKey id */
                id?: (string|null);

                /** ApiKey secretHash */
                secretHash?: (Uint8Array|null);

                /** ApiKey createdAtMs */
                createdAtMs?: (Long|null);

                /** ApiKey expiresAtMs */
                expiresAtMs?: (Long|null);

                /** ApiKey description */
                description?: (string|null);

                /** ApiKey scram */
                scram?: (firn.v1.ScramVerifier.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ApiKey. */
            type $Shape = firn.v1.ApiKey.$Properties;
        }

        /**
         * Properties of a Grant.
         * @deprecated Use firn.v1.Grant.$Properties instead.
         */
        interface IGrant extends firn.v1.Grant.$Properties {
        }

        /** Represents a Grant. */
        class Grant {

            /**
             * Constructs a new Grant.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Grant.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Grant objectType. */
            objectType: firn.v1.EntityType;

            /** Grant objectId. */
            objectId: Uint8Array;

            /** Grant path. */
            path: Uint8Array[];

            /** Grant privileges. */
            privileges: number;

            /**
             * Creates a new Grant instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Grant instance
             */
            static create(properties: firn.v1.Grant.$Shape): firn.v1.Grant & firn.v1.Grant.$Shape;
            static create(properties?: firn.v1.Grant.$Properties): firn.v1.Grant;

            /**
             * Encodes the specified Grant message. Does not implicitly {@link firn.v1.Grant.verify|verify} messages.
             * @param message Grant message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Grant.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Grant message, length delimited. Does not implicitly {@link firn.v1.Grant.verify|verify} messages.
             * @param message Grant message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Grant.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Grant message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Grant & firn.v1.Grant.$Shape} Grant
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Grant & firn.v1.Grant.$Shape;

            /**
             * Decodes a Grant message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Grant & firn.v1.Grant.$Shape} Grant
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Grant & firn.v1.Grant.$Shape;

            /**
             * Verifies a Grant message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Grant message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Grant
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Grant;

            /**
             * Creates a plain object from a Grant message. Also converts values to other types if specified.
             * @param message Grant
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Grant, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Grant to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Grant
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Grant {

            /** Properties of a Grant. */
            interface $Properties {

                /** Grant objectType */
                objectType?: (firn.v1.EntityType|null);

                /** Grant objectId */
                objectId?: (Uint8Array|null);

                /** Grant path */
                path?: (Uint8Array[]|null);

                /** Grant privileges */
                privileges?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Grant. */
            type $Shape = firn.v1.Grant.$Properties;
        }

        /**
         * Properties of a Principal.
         * @deprecated Use firn.v1.Principal.$Properties instead.
         */
        interface IPrincipal extends firn.v1.Principal.$Properties {
        }

        /** Represents a Principal. */
        class Principal {

            /**
             * Constructs a new Principal.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Principal.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Principal envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Principal name. */
            name: string;

            /** Principal description. */
            description: string;

            /** Principal properties. */
            properties: { [k: string]: string };

            /** Principal createdAtMs. */
            createdAtMs: Long;

            /** Principal state. */
            state: firn.v1.EntityState;

            /** Principal nameRevision. */
            nameRevision: Uint8Array;

            /** Principal kind. */
            kind: firn.v1.PrincipalKind;

            /** Principal suspended. */
            suspended: boolean;

            /** Principal keys. */
            keys: firn.v1.ApiKey.$Properties[];

            /** Principal grants. */
            grants: firn.v1.Grant.$Properties[];

            /** Principal roles. */
            roles: Uint8Array[];

            /**
             * Creates a new Principal instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Principal instance
             */
            static create(properties: firn.v1.Principal.$Shape): firn.v1.Principal & firn.v1.Principal.$Shape;
            static create(properties?: firn.v1.Principal.$Properties): firn.v1.Principal;

            /**
             * Encodes the specified Principal message. Does not implicitly {@link firn.v1.Principal.verify|verify} messages.
             * @param message Principal message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Principal.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Principal message, length delimited. Does not implicitly {@link firn.v1.Principal.verify|verify} messages.
             * @param message Principal message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Principal.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Principal message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Principal & firn.v1.Principal.$Shape} Principal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Principal & firn.v1.Principal.$Shape;

            /**
             * Decodes a Principal message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Principal & firn.v1.Principal.$Shape} Principal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Principal & firn.v1.Principal.$Shape;

            /**
             * Verifies a Principal message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Principal message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Principal
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Principal;

            /**
             * Creates a plain object from a Principal message. Also converts values to other types if specified.
             * @param message Principal
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Principal, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Principal to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Principal
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Principal {

            /** Properties of a Principal. */
            interface $Properties {

                /** Principal envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Principal name */
                name?: (string|null);

                /** Principal description */
                description?: (string|null);

                /** Principal properties */
                properties?: ({ [k: string]: string }|null);

                /** Principal createdAtMs */
                createdAtMs?: (Long|null);

                /** Principal state */
                state?: (firn.v1.EntityState|null);

                /** Principal nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Principal kind */
                kind?: (firn.v1.PrincipalKind|null);

                /** Principal suspended */
                suspended?: (boolean|null);

                /** Principal keys */
                keys?: (firn.v1.ApiKey.$Properties[]|null);

                /** Principal grants */
                grants?: (firn.v1.Grant.$Properties[]|null);

                /** Principal roles */
                roles?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Principal. */
            type $Shape = firn.v1.Principal.$Properties;
        }

        /**
         * Properties of a MetricsReport.
         * @deprecated Use firn.v1.MetricsReport.$Properties instead.
         */
        interface IMetricsReport extends firn.v1.MetricsReport.$Properties {
        }

        /** Represents a MetricsReport. */
        class MetricsReport {

            /**
             * Constructs a new MetricsReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.MetricsReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MetricsReport envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** MetricsReport report. */
            report: string;

            /**
             * Creates a new MetricsReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MetricsReport instance
             */
            static create(properties: firn.v1.MetricsReport.$Shape): firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape;
            static create(properties?: firn.v1.MetricsReport.$Properties): firn.v1.MetricsReport;

            /**
             * Encodes the specified MetricsReport message. Does not implicitly {@link firn.v1.MetricsReport.verify|verify} messages.
             * @param message MetricsReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.MetricsReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified MetricsReport message, length delimited. Does not implicitly {@link firn.v1.MetricsReport.verify|verify} messages.
             * @param message MetricsReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.MetricsReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MetricsReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape} MetricsReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape;

            /**
             * Decodes a MetricsReport message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape} MetricsReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape;

            /**
             * Verifies a MetricsReport message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a MetricsReport message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns MetricsReport
             */
            static fromObject(object: { [k: string]: any }): firn.v1.MetricsReport;

            /**
             * Creates a plain object from a MetricsReport message. Also converts values to other types if specified.
             * @param message MetricsReport
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.MetricsReport, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this MetricsReport to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for MetricsReport
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace MetricsReport {

            /** Properties of a MetricsReport. */
            interface $Properties {

                /** MetricsReport envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** MetricsReport report */
                report?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MetricsReport. */
            type $Shape = firn.v1.MetricsReport.$Properties;
        }

        /**
         * Properties of a Snapshot.
         * @deprecated Use firn.v1.Snapshot.$Properties instead.
         */
        interface ISnapshot extends firn.v1.Snapshot.$Properties {
        }

        /** Represents a Snapshot. */
        class Snapshot {

            /**
             * Constructs a new Snapshot.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Snapshot.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Snapshot envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Snapshot snapshotId. */
            snapshotId: Long;

            /** Snapshot parentSnapshotId. */
            parentSnapshotId?: (Long|null);

            /** Snapshot sequenceNumber. */
            sequenceNumber: Long;

            /** Snapshot timestampMs. */
            timestampMs: Long;

            /** Snapshot schemaId. */
            schemaId?: (number|null);

            /** Snapshot manifestList. */
            manifestList: string;

            /** Snapshot operation. */
            operation: string;

            /** Snapshot summary. */
            summary: { [k: string]: string };

            /**
             * Creates a new Snapshot instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Snapshot instance
             */
            static create(properties: firn.v1.Snapshot.$Shape): firn.v1.Snapshot & firn.v1.Snapshot.$Shape;
            static create(properties?: firn.v1.Snapshot.$Properties): firn.v1.Snapshot;

            /**
             * Encodes the specified Snapshot message. Does not implicitly {@link firn.v1.Snapshot.verify|verify} messages.
             * @param message Snapshot message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Snapshot.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Snapshot message, length delimited. Does not implicitly {@link firn.v1.Snapshot.verify|verify} messages.
             * @param message Snapshot message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Snapshot.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Snapshot message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Snapshot & firn.v1.Snapshot.$Shape} Snapshot
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Snapshot & firn.v1.Snapshot.$Shape;

            /**
             * Decodes a Snapshot message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Snapshot & firn.v1.Snapshot.$Shape} Snapshot
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Snapshot & firn.v1.Snapshot.$Shape;

            /**
             * Verifies a Snapshot message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Snapshot message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Snapshot
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Snapshot;

            /**
             * Creates a plain object from a Snapshot message. Also converts values to other types if specified.
             * @param message Snapshot
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Snapshot, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Snapshot to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Snapshot
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Snapshot {

            /** Properties of a Snapshot. */
            interface $Properties {

                /** Snapshot envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Snapshot snapshotId */
                snapshotId?: (Long|null);

                /** Snapshot parentSnapshotId */
                parentSnapshotId?: (Long|null);

                /** Snapshot sequenceNumber */
                sequenceNumber?: (Long|null);

                /** Snapshot timestampMs */
                timestampMs?: (Long|null);

                /** Snapshot schemaId */
                schemaId?: (number|null);

                /** Snapshot manifestList */
                manifestList?: (string|null);

                /** Snapshot operation */
                operation?: (string|null);

                /** Snapshot summary */
                summary?: ({ [k: string]: string }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Snapshot. */
            type $Shape = firn.v1.Snapshot.$Properties;
        }

        /** TargetKind enum. */
        enum TargetKind {

            /** TARGET_KIND_UNSPECIFIED value */
            TARGET_KIND_UNSPECIFIED = 0,

            /** TARGET_KIND_TABLE value */
            TARGET_KIND_TABLE = 1,

            /** TARGET_KIND_COLUMN value */
            TARGET_KIND_COLUMN = 2,

            /** TARGET_KIND_EXPRESSION value */
            TARGET_KIND_EXPRESSION = 3,

            /** TARGET_KIND_FILE value */
            TARGET_KIND_FILE = 4
        }

        /**
         * Properties of a StatsTarget.
         * @deprecated Use firn.v1.StatsTarget.$Properties instead.
         */
        interface IStatsTarget extends firn.v1.StatsTarget.$Properties {
        }

        /** Represents a StatsTarget. */
        class StatsTarget {

            /**
             * Constructs a new StatsTarget.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.StatsTarget.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StatsTarget kind. */
            kind: firn.v1.TargetKind;

            /** StatsTarget fieldId. */
            fieldId: number;

            /** StatsTarget engine. */
            engine: string;

            /** StatsTarget expression. */
            expression: string;

            /** StatsTarget path. */
            path: string;

            /**
             * Creates a new StatsTarget instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StatsTarget instance
             */
            static create(properties: firn.v1.StatsTarget.$Shape): firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape;
            static create(properties?: firn.v1.StatsTarget.$Properties): firn.v1.StatsTarget;

            /**
             * Encodes the specified StatsTarget message. Does not implicitly {@link firn.v1.StatsTarget.verify|verify} messages.
             * @param message StatsTarget message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.StatsTarget.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified StatsTarget message, length delimited. Does not implicitly {@link firn.v1.StatsTarget.verify|verify} messages.
             * @param message StatsTarget message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.StatsTarget.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StatsTarget message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape} StatsTarget
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape;

            /**
             * Decodes a StatsTarget message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape} StatsTarget
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape;

            /**
             * Verifies a StatsTarget message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a StatsTarget message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns StatsTarget
             */
            static fromObject(object: { [k: string]: any }): firn.v1.StatsTarget;

            /**
             * Creates a plain object from a StatsTarget message. Also converts values to other types if specified.
             * @param message StatsTarget
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.StatsTarget, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this StatsTarget to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for StatsTarget
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace StatsTarget {

            /** Properties of a StatsTarget. */
            interface $Properties {

                /** StatsTarget kind */
                kind?: (firn.v1.TargetKind|null);

                /** StatsTarget fieldId */
                fieldId?: (number|null);

                /** StatsTarget engine */
                engine?: (string|null);

                /** StatsTarget expression */
                expression?: (string|null);

                /** StatsTarget path */
                path?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StatsTarget. */
            type $Shape = firn.v1.StatsTarget.$Properties;
        }

        /**
         * Properties of a DistinctValues.
         * @deprecated Use firn.v1.DistinctValues.$Properties instead.
         */
        interface IDistinctValues extends firn.v1.DistinctValues.$Properties {
        }

        /** Represents a DistinctValues. */
        class DistinctValues {

            /**
             * Constructs a new DistinctValues.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.DistinctValues.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DistinctValues count. */
            count: Long;

            /** DistinctValues exact. */
            exact: boolean;

            /** DistinctValues error. */
            error?: (number|null);

            /** DistinctValues theta. */
            theta: Uint8Array;

            /**
             * Creates a new DistinctValues instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DistinctValues instance
             */
            static create(properties: firn.v1.DistinctValues.$Shape): firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape;
            static create(properties?: firn.v1.DistinctValues.$Properties): firn.v1.DistinctValues;

            /**
             * Encodes the specified DistinctValues message. Does not implicitly {@link firn.v1.DistinctValues.verify|verify} messages.
             * @param message DistinctValues message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.DistinctValues.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified DistinctValues message, length delimited. Does not implicitly {@link firn.v1.DistinctValues.verify|verify} messages.
             * @param message DistinctValues message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.DistinctValues.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DistinctValues message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape} DistinctValues
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape;

            /**
             * Decodes a DistinctValues message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape} DistinctValues
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape;

            /**
             * Verifies a DistinctValues message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a DistinctValues message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns DistinctValues
             */
            static fromObject(object: { [k: string]: any }): firn.v1.DistinctValues;

            /**
             * Creates a plain object from a DistinctValues message. Also converts values to other types if specified.
             * @param message DistinctValues
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.DistinctValues, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this DistinctValues to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for DistinctValues
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace DistinctValues {

            /** Properties of a DistinctValues. */
            interface $Properties {

                /** DistinctValues count */
                count?: (Long|null);

                /** DistinctValues exact */
                exact?: (boolean|null);

                /** DistinctValues error */
                error?: (number|null);

                /** DistinctValues theta */
                theta?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DistinctValues. */
            type $Shape = firn.v1.DistinctValues.$Properties;
        }

        /**
         * Properties of a TargetStats.
         * @deprecated Use firn.v1.TargetStats.$Properties instead.
         */
        interface ITargetStats extends firn.v1.TargetStats.$Properties {
        }

        /** Represents a TargetStats. */
        class TargetStats {

            /**
             * Constructs a new TargetStats.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.TargetStats.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TargetStats target. */
            target?: (firn.v1.StatsTarget.$Properties|null);

            /** TargetStats rowCount. */
            rowCount?: (Long|null);

            /** TargetStats nullCount. */
            nullCount?: (Long|null);

            /** TargetStats nanCount. */
            nanCount?: (Long|null);

            /** TargetStats min. */
            min?: (string|null);

            /** TargetStats max. */
            max?: (string|null);

            /** TargetStats averageWidth. */
            averageWidth?: (number|null);

            /** TargetStats distinct. */
            distinct?: (firn.v1.DistinctValues.$Properties|null);

            /** TargetStats histogram. */
            histogram: string;

            /** TargetStats kll. */
            kll: Uint8Array;

            /** TargetStats producer. */
            producer: string;

            /** TargetStats complete. */
            complete: boolean;

            /** TargetStats coverage. */
            coverage?: (number|null);

            /** TargetStats properties. */
            properties: { [k: string]: string };

            /**
             * Creates a new TargetStats instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TargetStats instance
             */
            static create(properties: firn.v1.TargetStats.$Shape): firn.v1.TargetStats & firn.v1.TargetStats.$Shape;
            static create(properties?: firn.v1.TargetStats.$Properties): firn.v1.TargetStats;

            /**
             * Encodes the specified TargetStats message. Does not implicitly {@link firn.v1.TargetStats.verify|verify} messages.
             * @param message TargetStats message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.TargetStats.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified TargetStats message, length delimited. Does not implicitly {@link firn.v1.TargetStats.verify|verify} messages.
             * @param message TargetStats message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.TargetStats.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TargetStats message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.TargetStats & firn.v1.TargetStats.$Shape} TargetStats
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.TargetStats & firn.v1.TargetStats.$Shape;

            /**
             * Decodes a TargetStats message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.TargetStats & firn.v1.TargetStats.$Shape} TargetStats
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.TargetStats & firn.v1.TargetStats.$Shape;

            /**
             * Verifies a TargetStats message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a TargetStats message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns TargetStats
             */
            static fromObject(object: { [k: string]: any }): firn.v1.TargetStats;

            /**
             * Creates a plain object from a TargetStats message. Also converts values to other types if specified.
             * @param message TargetStats
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.TargetStats, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this TargetStats to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for TargetStats
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace TargetStats {

            /** Properties of a TargetStats. */
            interface $Properties {

                /** TargetStats target */
                target?: (firn.v1.StatsTarget.$Properties|null);

                /** TargetStats rowCount */
                rowCount?: (Long|null);

                /** TargetStats nullCount */
                nullCount?: (Long|null);

                /** TargetStats nanCount */
                nanCount?: (Long|null);

                /** TargetStats min */
                min?: (string|null);

                /** TargetStats max */
                max?: (string|null);

                /** TargetStats averageWidth */
                averageWidth?: (number|null);

                /** TargetStats distinct */
                distinct?: (firn.v1.DistinctValues.$Properties|null);

                /** TargetStats histogram */
                histogram?: (string|null);

                /** TargetStats kll */
                kll?: (Uint8Array|null);

                /** TargetStats producer */
                producer?: (string|null);

                /** TargetStats complete */
                complete?: (boolean|null);

                /** TargetStats coverage */
                coverage?: (number|null);

                /** TargetStats properties */
                properties?: ({ [k: string]: string }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TargetStats. */
            type $Shape = firn.v1.TargetStats.$Properties;
        }

        /**
         * Properties of a StatsPack.
         * @deprecated Use firn.v1.StatsPack.$Properties instead.
         */
        interface IStatsPack extends firn.v1.StatsPack.$Properties {
        }

        /** Represents a StatsPack. */
        class StatsPack {

            /**
             * Constructs a new StatsPack.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.StatsPack.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StatsPack envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** StatsPack snapshotId. */
            snapshotId: Long;

            /** StatsPack stats. */
            stats: firn.v1.TargetStats.$Properties[];

            /**
             * Creates a new StatsPack instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StatsPack instance
             */
            static create(properties: firn.v1.StatsPack.$Shape): firn.v1.StatsPack & firn.v1.StatsPack.$Shape;
            static create(properties?: firn.v1.StatsPack.$Properties): firn.v1.StatsPack;

            /**
             * Encodes the specified StatsPack message. Does not implicitly {@link firn.v1.StatsPack.verify|verify} messages.
             * @param message StatsPack message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.StatsPack.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified StatsPack message, length delimited. Does not implicitly {@link firn.v1.StatsPack.verify|verify} messages.
             * @param message StatsPack message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.StatsPack.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StatsPack message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.StatsPack & firn.v1.StatsPack.$Shape} StatsPack
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.StatsPack & firn.v1.StatsPack.$Shape;

            /**
             * Decodes a StatsPack message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.StatsPack & firn.v1.StatsPack.$Shape} StatsPack
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.StatsPack & firn.v1.StatsPack.$Shape;

            /**
             * Verifies a StatsPack message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a StatsPack message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns StatsPack
             */
            static fromObject(object: { [k: string]: any }): firn.v1.StatsPack;

            /**
             * Creates a plain object from a StatsPack message. Also converts values to other types if specified.
             * @param message StatsPack
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.StatsPack, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this StatsPack to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for StatsPack
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace StatsPack {

            /** Properties of a StatsPack. */
            interface $Properties {

                /** StatsPack envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** StatsPack snapshotId */
                snapshotId?: (Long|null);

                /** StatsPack stats */
                stats?: (firn.v1.TargetStats.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StatsPack. */
            type $Shape = firn.v1.StatsPack.$Properties;
        }

        /** StorageSigning enum. */
        enum StorageSigning {

            /** STORAGE_SIGNING_UNSPECIFIED value */
            STORAGE_SIGNING_UNSPECIFIED = 0,

            /** STORAGE_SIGNING_OFF value */
            STORAGE_SIGNING_OFF = 1,

            /** STORAGE_SIGNING_READ value */
            STORAGE_SIGNING_READ = 2,

            /** STORAGE_SIGNING_WRITE value */
            STORAGE_SIGNING_WRITE = 3
        }

        /** StorageSecretKind enum. */
        enum StorageSecretKind {

            /** STORAGE_SECRET_KIND_UNSPECIFIED value */
            STORAGE_SECRET_KIND_UNSPECIFIED = 0,

            /** STORAGE_SECRET_KIND_AMBIENT value */
            STORAGE_SECRET_KIND_AMBIENT = 1,

            /** STORAGE_SECRET_KIND_FILE value */
            STORAGE_SECRET_KIND_FILE = 2,

            /** STORAGE_SECRET_KIND_SEALED value */
            STORAGE_SECRET_KIND_SEALED = 3
        }

        /**
         * Properties of a StorageProfile.
         * @deprecated Use firn.v1.StorageProfile.$Properties instead.
         */
        interface IStorageProfile extends firn.v1.StorageProfile.$Properties {
        }

        /** Represents a StorageProfile. */
        class StorageProfile {

            /**
             * Constructs a new StorageProfile.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.StorageProfile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StorageProfile envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** StorageProfile name. */
            name: string;

            /** StorageProfile description. */
            description: string;

            /** StorageProfile createdAtMs. */
            createdAtMs: Long;

            /** StorageProfile state. */
            state: firn.v1.EntityState;

            /** StorageProfile nameRevision. */
            nameRevision: Uint8Array;

            /** StorageProfile owner. */
            owner: Uint8Array;

            /** StorageProfile roots. */
            roots: string[];

            /** StorageProfile region. */
            region: string;

            /** StorageProfile endpoint. */
            endpoint: string;

            /** StorageProfile pathStyle. */
            pathStyle: boolean;

            /** StorageProfile roleArn. */
            roleArn: string;

            /** StorageProfile stsEndpoint. */
            stsEndpoint: string;

            /** StorageProfile kmsKeys. */
            kmsKeys: string[];

            /** StorageProfile vend. */
            vend: boolean;

            /** StorageProfile sign. */
            sign: firn.v1.StorageSigning;

            /** StorageProfile secretKind. */
            secretKind: firn.v1.StorageSecretKind;

            /** StorageProfile secretFile. */
            secretFile: string;

            /** StorageProfile secretId. */
            secretId: Uint8Array;

            /** StorageProfile secretSetAtMs. */
            secretSetAtMs: Long;

            /** StorageProfile properties. */
            properties: { [k: string]: string };

            /**
             * Creates a new StorageProfile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StorageProfile instance
             */
            static create(properties: firn.v1.StorageProfile.$Shape): firn.v1.StorageProfile & firn.v1.StorageProfile.$Shape;
            static create(properties?: firn.v1.StorageProfile.$Properties): firn.v1.StorageProfile;

            /**
             * Encodes the specified StorageProfile message. Does not implicitly {@link firn.v1.StorageProfile.verify|verify} messages.
             * @param message StorageProfile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.StorageProfile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified StorageProfile message, length delimited. Does not implicitly {@link firn.v1.StorageProfile.verify|verify} messages.
             * @param message StorageProfile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.StorageProfile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StorageProfile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.StorageProfile & firn.v1.StorageProfile.$Shape} StorageProfile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.StorageProfile & firn.v1.StorageProfile.$Shape;

            /**
             * Decodes a StorageProfile message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.StorageProfile & firn.v1.StorageProfile.$Shape} StorageProfile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.StorageProfile & firn.v1.StorageProfile.$Shape;

            /**
             * Verifies a StorageProfile message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a StorageProfile message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns StorageProfile
             */
            static fromObject(object: { [k: string]: any }): firn.v1.StorageProfile;

            /**
             * Creates a plain object from a StorageProfile message. Also converts values to other types if specified.
             * @param message StorageProfile
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.StorageProfile, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this StorageProfile to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for StorageProfile
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace StorageProfile {

            /** Properties of a StorageProfile. */
            interface $Properties {

                /** StorageProfile envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** StorageProfile name */
                name?: (string|null);

                /** StorageProfile description */
                description?: (string|null);

                /** StorageProfile createdAtMs */
                createdAtMs?: (Long|null);

                /** StorageProfile state */
                state?: (firn.v1.EntityState|null);

                /** StorageProfile nameRevision */
                nameRevision?: (Uint8Array|null);

                /** StorageProfile owner */
                owner?: (Uint8Array|null);

                /** StorageProfile roots */
                roots?: (string[]|null);

                /** StorageProfile region */
                region?: (string|null);

                /** StorageProfile endpoint */
                endpoint?: (string|null);

                /** StorageProfile pathStyle */
                pathStyle?: (boolean|null);

                /** StorageProfile roleArn */
                roleArn?: (string|null);

                /** StorageProfile stsEndpoint */
                stsEndpoint?: (string|null);

                /** StorageProfile kmsKeys */
                kmsKeys?: (string[]|null);

                /** StorageProfile vend */
                vend?: (boolean|null);

                /** StorageProfile sign */
                sign?: (firn.v1.StorageSigning|null);

                /** StorageProfile secretKind */
                secretKind?: (firn.v1.StorageSecretKind|null);

                /** StorageProfile secretFile */
                secretFile?: (string|null);

                /** StorageProfile secretId */
                secretId?: (Uint8Array|null);

                /** StorageProfile secretSetAtMs */
                secretSetAtMs?: (Long|null);

                /** StorageProfile properties */
                properties?: ({ [k: string]: string }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StorageProfile. */
            type $Shape = firn.v1.StorageProfile.$Properties;
        }

        /**
         * Properties of an IcebergTable.
         * @deprecated Use firn.v1.IcebergTable.$Properties instead.
         */
        interface IIcebergTable extends firn.v1.IcebergTable.$Properties {
        }

        /** Represents an IcebergTable. */
        class IcebergTable {

            /**
             * Constructs a new IcebergTable.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.IcebergTable.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** IcebergTable tableUuid. */
            tableUuid: Uint8Array;

            /** IcebergTable metadataLocation. */
            metadataLocation: string;

            /** IcebergTable currentSnapshotId. */
            currentSnapshotId?: (Long|null);

            /** IcebergTable purgeRequested. */
            purgeRequested: boolean;

            /**
             * Creates a new IcebergTable instance using the specified properties.
             * @param [properties] Properties to set
             * @returns IcebergTable instance
             */
            static create(properties: firn.v1.IcebergTable.$Shape): firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape;
            static create(properties?: firn.v1.IcebergTable.$Properties): firn.v1.IcebergTable;

            /**
             * Encodes the specified IcebergTable message. Does not implicitly {@link firn.v1.IcebergTable.verify|verify} messages.
             * @param message IcebergTable message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.IcebergTable.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified IcebergTable message, length delimited. Does not implicitly {@link firn.v1.IcebergTable.verify|verify} messages.
             * @param message IcebergTable message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.IcebergTable.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an IcebergTable message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape} IcebergTable
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape;

            /**
             * Decodes an IcebergTable message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape} IcebergTable
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape;

            /**
             * Verifies an IcebergTable message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an IcebergTable message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns IcebergTable
             */
            static fromObject(object: { [k: string]: any }): firn.v1.IcebergTable;

            /**
             * Creates a plain object from an IcebergTable message. Also converts values to other types if specified.
             * @param message IcebergTable
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.IcebergTable, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this IcebergTable to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for IcebergTable
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace IcebergTable {

            /** Properties of an IcebergTable. */
            interface $Properties {

                /** IcebergTable tableUuid */
                tableUuid?: (Uint8Array|null);

                /** IcebergTable metadataLocation */
                metadataLocation?: (string|null);

                /** IcebergTable currentSnapshotId */
                currentSnapshotId?: (Long|null);

                /** IcebergTable purgeRequested */
                purgeRequested?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an IcebergTable. */
            type $Shape = firn.v1.IcebergTable.$Properties;
        }

        /**
         * Properties of a Column.
         * @deprecated Use firn.v1.Column.$Properties instead.
         */
        interface IColumn extends firn.v1.Column.$Properties {
        }

        /** Represents a Column. */
        class Column {

            /**
             * Constructs a new Column.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Column.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Column name. */
            name: string;

            /** Column type. */
            type: string;

            /** Column nullable. */
            nullable: boolean;

            /** Column comment. */
            comment: string;

            /** Column fieldId. */
            fieldId?: (number|null);

            /**
             * Creates a new Column instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Column instance
             */
            static create(properties: firn.v1.Column.$Shape): firn.v1.Column & firn.v1.Column.$Shape;
            static create(properties?: firn.v1.Column.$Properties): firn.v1.Column;

            /**
             * Encodes the specified Column message. Does not implicitly {@link firn.v1.Column.verify|verify} messages.
             * @param message Column message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Column.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Column message, length delimited. Does not implicitly {@link firn.v1.Column.verify|verify} messages.
             * @param message Column message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Column.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Column message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Column & firn.v1.Column.$Shape} Column
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Column & firn.v1.Column.$Shape;

            /**
             * Decodes a Column message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Column & firn.v1.Column.$Shape} Column
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Column & firn.v1.Column.$Shape;

            /**
             * Verifies a Column message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Column message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Column
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Column;

            /**
             * Creates a plain object from a Column message. Also converts values to other types if specified.
             * @param message Column
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Column, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Column to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Column
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Column {

            /** Properties of a Column. */
            interface $Properties {

                /** Column name */
                name?: (string|null);

                /** Column type */
                type?: (string|null);

                /** Column nullable */
                nullable?: (boolean|null);

                /** Column comment */
                comment?: (string|null);

                /** Column fieldId */
                fieldId?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Column. */
            type $Shape = firn.v1.Column.$Properties;
        }

        /**
         * Properties of an Upstream.
         * @deprecated Use firn.v1.Upstream.$Properties instead.
         */
        interface IUpstream extends firn.v1.Upstream.$Properties {
        }

        /** Represents an Upstream. */
        class Upstream {

            /**
             * Constructs a new Upstream.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Upstream.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Upstream connectorId. */
            connectorId: Uint8Array;

            /** Upstream uri. */
            uri: string;

            /** Upstream path. */
            path: string;

            /**
             * Creates a new Upstream instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Upstream instance
             */
            static create(properties: firn.v1.Upstream.$Shape): firn.v1.Upstream & firn.v1.Upstream.$Shape;
            static create(properties?: firn.v1.Upstream.$Properties): firn.v1.Upstream;

            /**
             * Encodes the specified Upstream message. Does not implicitly {@link firn.v1.Upstream.verify|verify} messages.
             * @param message Upstream message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Upstream.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Upstream message, length delimited. Does not implicitly {@link firn.v1.Upstream.verify|verify} messages.
             * @param message Upstream message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Upstream.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Upstream message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Upstream & firn.v1.Upstream.$Shape} Upstream
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Upstream & firn.v1.Upstream.$Shape;

            /**
             * Decodes an Upstream message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Upstream & firn.v1.Upstream.$Shape} Upstream
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Upstream & firn.v1.Upstream.$Shape;

            /**
             * Verifies an Upstream message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an Upstream message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Upstream
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Upstream;

            /**
             * Creates a plain object from an Upstream message. Also converts values to other types if specified.
             * @param message Upstream
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Upstream, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Upstream to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Upstream
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Upstream {

            /** Properties of an Upstream. */
            interface $Properties {

                /** Upstream connectorId */
                connectorId?: (Uint8Array|null);

                /** Upstream uri */
                uri?: (string|null);

                /** Upstream path */
                path?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Upstream. */
            type $Shape = firn.v1.Upstream.$Properties;
        }

        /**
         * Properties of a Table.
         * @deprecated Use firn.v1.Table.$Properties instead.
         */
        interface ITable extends firn.v1.Table.$Properties {
        }

        /** Represents a Table. */
        class Table {

            /**
             * Constructs a new Table.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.Table.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Table envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** Table name. */
            name: string;

            /** Table description. */
            description: string;

            /** Table properties. */
            properties: { [k: string]: string };

            /** Table createdAtMs. */
            createdAtMs: Long;

            /** Table state. */
            state: firn.v1.EntityState;

            /** Table nameRevision. */
            nameRevision: Uint8Array;

            /** Table protected. */
            protected: boolean;

            /** Table purgeAfterMs. */
            purgeAfterMs: Long;

            /** Table catalogId. */
            catalogId: Uint8Array;

            /** Table namespaceId. */
            namespaceId: Uint8Array;

            /** Table format. */
            format: firn.v1.TableFormat;

            /** Table location. */
            location: string;

            /** Table iceberg. */
            iceberg?: (firn.v1.IcebergTable.$Properties|null);

            /** Table columns. */
            columns: firn.v1.Column.$Properties[];

            /** Table partitionKeys. */
            partitionKeys: string[];

            /** Table upstream. */
            upstream?: (firn.v1.Upstream.$Properties|null);

            /** Table owner. */
            owner: Uint8Array;

            /** Table shard. */
            shard: Uint8Array;

            /**
             * Creates a new Table instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Table instance
             */
            static create(properties: firn.v1.Table.$Shape): firn.v1.Table & firn.v1.Table.$Shape;
            static create(properties?: firn.v1.Table.$Properties): firn.v1.Table;

            /**
             * Encodes the specified Table message. Does not implicitly {@link firn.v1.Table.verify|verify} messages.
             * @param message Table message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.Table.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified Table message, length delimited. Does not implicitly {@link firn.v1.Table.verify|verify} messages.
             * @param message Table message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.Table.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Table message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.Table & firn.v1.Table.$Shape} Table
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.Table & firn.v1.Table.$Shape;

            /**
             * Decodes a Table message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.Table & firn.v1.Table.$Shape} Table
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.Table & firn.v1.Table.$Shape;

            /**
             * Verifies a Table message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a Table message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns Table
             */
            static fromObject(object: { [k: string]: any }): firn.v1.Table;

            /**
             * Creates a plain object from a Table message. Also converts values to other types if specified.
             * @param message Table
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.Table, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this Table to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for Table
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Table {

            /** Properties of a Table. */
            interface $Properties {

                /** Table envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** Table name */
                name?: (string|null);

                /** Table description */
                description?: (string|null);

                /** Table properties */
                properties?: ({ [k: string]: string }|null);

                /** Table createdAtMs */
                createdAtMs?: (Long|null);

                /** Table state */
                state?: (firn.v1.EntityState|null);

                /** Table nameRevision */
                nameRevision?: (Uint8Array|null);

                /** Table protected */
                "protected"?: (boolean|null);

                /** Table purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** Table catalogId */
                catalogId?: (Uint8Array|null);

                /** Table namespaceId */
                namespaceId?: (Uint8Array|null);

                /** Table format */
                format?: (firn.v1.TableFormat|null);

                /** Table location */
                location?: (string|null);

                /** Table iceberg */
                iceberg?: (firn.v1.IcebergTable.$Properties|null);

                /** Table columns */
                columns?: (firn.v1.Column.$Properties[]|null);

                /** Table partitionKeys */
                partitionKeys?: (string[]|null);

                /** Table upstream */
                upstream?: (firn.v1.Upstream.$Properties|null);

                /** Table owner */
                owner?: (Uint8Array|null);

                /** Table shard */
                shard?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Table. */
            type $Shape = firn.v1.Table.$Properties;
        }

        /**
         * Properties of an IcebergView.
         * @deprecated Use firn.v1.IcebergView.$Properties instead.
         */
        interface IIcebergView extends firn.v1.IcebergView.$Properties {
        }

        /** Represents an IcebergView. */
        class IcebergView {

            /**
             * Constructs a new IcebergView.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.IcebergView.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** IcebergView viewUuid. */
            viewUuid: Uint8Array;

            /** IcebergView metadataLocation. */
            metadataLocation: string;

            /** IcebergView currentVersionId. */
            currentVersionId: number;

            /**
             * Creates a new IcebergView instance using the specified properties.
             * @param [properties] Properties to set
             * @returns IcebergView instance
             */
            static create(properties: firn.v1.IcebergView.$Shape): firn.v1.IcebergView & firn.v1.IcebergView.$Shape;
            static create(properties?: firn.v1.IcebergView.$Properties): firn.v1.IcebergView;

            /**
             * Encodes the specified IcebergView message. Does not implicitly {@link firn.v1.IcebergView.verify|verify} messages.
             * @param message IcebergView message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.IcebergView.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified IcebergView message, length delimited. Does not implicitly {@link firn.v1.IcebergView.verify|verify} messages.
             * @param message IcebergView message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.IcebergView.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an IcebergView message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.IcebergView & firn.v1.IcebergView.$Shape} IcebergView
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.IcebergView & firn.v1.IcebergView.$Shape;

            /**
             * Decodes an IcebergView message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.IcebergView & firn.v1.IcebergView.$Shape} IcebergView
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.IcebergView & firn.v1.IcebergView.$Shape;

            /**
             * Verifies an IcebergView message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates an IcebergView message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns IcebergView
             */
            static fromObject(object: { [k: string]: any }): firn.v1.IcebergView;

            /**
             * Creates a plain object from an IcebergView message. Also converts values to other types if specified.
             * @param message IcebergView
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.IcebergView, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this IcebergView to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for IcebergView
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace IcebergView {

            /** Properties of an IcebergView. */
            interface $Properties {

                /** IcebergView viewUuid */
                viewUuid?: (Uint8Array|null);

                /** IcebergView metadataLocation */
                metadataLocation?: (string|null);

                /** IcebergView currentVersionId */
                currentVersionId?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an IcebergView. */
            type $Shape = firn.v1.IcebergView.$Properties;
        }

        /**
         * Properties of a View.
         * @deprecated Use firn.v1.View.$Properties instead.
         */
        interface IView extends firn.v1.View.$Properties {
        }

        /** Represents a View. */
        class View {

            /**
             * Constructs a new View.
             * @param [properties] Properties to set
             */
            constructor(properties?: firn.v1.View.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** View envelope. */
            envelope?: (firn.v1.Envelope.$Properties|null);

            /** View name. */
            name: string;

            /** View description. */
            description: string;

            /** View properties. */
            properties: { [k: string]: string };

            /** View createdAtMs. */
            createdAtMs: Long;

            /** View state. */
            state: firn.v1.EntityState;

            /** View nameRevision. */
            nameRevision: Uint8Array;

            /** View protected. */
            protected: boolean;

            /** View purgeAfterMs. */
            purgeAfterMs: Long;

            /** View catalogId. */
            catalogId: Uint8Array;

            /** View namespaceId. */
            namespaceId: Uint8Array;

            /** View location. */
            location: string;

            /** View iceberg. */
            iceberg?: (firn.v1.IcebergView.$Properties|null);

            /** View owner. */
            owner: Uint8Array;

            /**
             * Creates a new View instance using the specified properties.
             * @param [properties] Properties to set
             * @returns View instance
             */
            static create(properties: firn.v1.View.$Shape): firn.v1.View & firn.v1.View.$Shape;
            static create(properties?: firn.v1.View.$Properties): firn.v1.View;

            /**
             * Encodes the specified View message. Does not implicitly {@link firn.v1.View.verify|verify} messages.
             * @param message View message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: firn.v1.View.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Encodes the specified View message, length delimited. Does not implicitly {@link firn.v1.View.verify|verify} messages.
             * @param message View message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encodeDelimited(message: firn.v1.View.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a View message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {firn.v1.View & firn.v1.View.$Shape} View
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): firn.v1.View & firn.v1.View.$Shape;

            /**
             * Decodes a View message from the specified reader or buffer, length delimited.
             * @param reader Reader or buffer to decode from
             * @returns {firn.v1.View & firn.v1.View.$Shape} View
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decodeDelimited(reader: ($protobuf.Reader|Uint8Array)): firn.v1.View & firn.v1.View.$Shape;

            /**
             * Verifies a View message.
             * @param message Plain object to verify
             * @returns `null` if valid, otherwise the reason why it is not
             */
            static verify(message: { [k: string]: any }): (string|null);

            /**
             * Creates a View message from a plain object. Also converts values to their respective internal types.
             * @param object Plain object
             * @returns View
             */
            static fromObject(object: { [k: string]: any }): firn.v1.View;

            /**
             * Creates a plain object from a View message. Also converts values to other types if specified.
             * @param message View
             * @param [options] Conversion options
             * @returns Plain object
             */
            static toObject(message: firn.v1.View, options?: $protobuf.IConversionOptions): { [k: string]: any };

            /**
             * Converts this View to JSON.
             * @returns JSON object
             */
            toJSON(): { [k: string]: any };

            /**
             * Gets the type url for View
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace View {

            /** Properties of a View. */
            interface $Properties {

                /** View envelope */
                envelope?: (firn.v1.Envelope.$Properties|null);

                /** View name */
                name?: (string|null);

                /** View description */
                description?: (string|null);

                /** View properties */
                properties?: ({ [k: string]: string }|null);

                /** View createdAtMs */
                createdAtMs?: (Long|null);

                /** View state */
                state?: (firn.v1.EntityState|null);

                /** View nameRevision */
                nameRevision?: (Uint8Array|null);

                /** View protected */
                "protected"?: (boolean|null);

                /** View purgeAfterMs */
                purgeAfterMs?: (Long|null);

                /** View catalogId */
                catalogId?: (Uint8Array|null);

                /** View namespaceId */
                namespaceId?: (Uint8Array|null);

                /** View location */
                location?: (string|null);

                /** View iceberg */
                iceberg?: (firn.v1.IcebergView.$Properties|null);

                /** View owner */
                owner?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a View. */
            type $Shape = firn.v1.View.$Properties;
        }
    }
}
