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
            ENTITY_TYPE_REPORT = 11
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

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PointerSummary. */
            type $Shape = firn.v1.PointerSummary.$Properties;
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

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a JobSummary. */
            type $Shape = firn.v1.JobSummary.$Properties;
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

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a View. */
            type $Shape = firn.v1.View.$Properties;
        }
    }
}
