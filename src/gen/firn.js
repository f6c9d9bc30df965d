// Generated from proto/ by `npm run gen`; do not edit.
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $String = $util.global.String, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $BigInt = $util.global.BigInt, $Array = $util.global.Array, $Boolean = $util.global.Boolean, $isFinite = $util.global.isFinite;

// Exported root namespace
const $root = $protobuf.roots["firn"] || ($protobuf.roots["firn"] = {});

export const firn = $root.firn = (() => {

    /**
     * Namespace firn.
     * @exports firn
     * @namespace
     */
    const firn = {};

    firn.v1 = (function() {

        /**
         * Namespace v1.
         * @memberof firn
         * @namespace
         */
        const v1 = {};

        v1.Account = (function() {

            /**
             * Properties of an Account.
             * @typedef {Object} firn.v1.Account.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Account envelope
             * @property {string|null} [name] Account name
             * @property {string|null} [description] Account description
             * @property {Object.<string,string>|null} [tags] Account tags
             * @property {Long|null} [createdAtMs] Account createdAtMs
             * @property {firn.v1.EntityState|null} [state] Account state
             * @property {Uint8Array|null} [nameRevision] Account nameRevision
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Account.
             * @memberof firn.v1
             * @interface IAccount
             * @augments firn.v1.Account.$Properties
             * @deprecated Use firn.v1.Account.$Properties instead.
             */

            /**
             * Shape of an Account.
             * @typedef {firn.v1.Account.$Properties} firn.v1.Account.$Shape
             */

            /**
             * Constructs a new Account.
             * @memberof firn.v1
             * @classdesc Represents an Account.
             * @constructor
             * @param {firn.v1.Account.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Account = function (properties) {
                this.tags = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Account envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.envelope = null;

            /**
             * Account name.
             * @member {string} name
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.name = "";

            /**
             * Account description.
             * @member {string} description
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.description = "";

            /**
             * Account tags.
             * @member {Object.<string,string>} tags
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.tags = $util.emptyObject;

            /**
             * Account createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Account state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.state = 0;

            /**
             * Account nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.Account
             * @instance
             */
            Account.prototype.nameRevision = $util.newBuffer([]);

            /**
             * Creates a new Account instance using the specified properties.
             * @function create
             * @memberof firn.v1.Account
             * @static
             * @param {firn.v1.Account.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Account} Account instance
             * @type {{
             *   (properties: firn.v1.Account.$Shape): firn.v1.Account & firn.v1.Account.$Shape;
             *   (properties?: firn.v1.Account.$Properties): firn.v1.Account;
             * }}
             */
            Account.create = function(properties) {
                return new Account(properties);
            };

            /**
             * Encodes the specified Account message. Does not implicitly {@link firn.v1.Account.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Account
             * @static
             * @param {firn.v1.Account.$Properties} message Account message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Account.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.tags != null && $Object.hasOwnProperty.call(message, "tags"))
                    for (let keys = $Object.keys(message.tags), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.tags[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Account message, length delimited. Does not implicitly {@link firn.v1.Account.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Account
             * @static
             * @param {firn.v1.Account.$Properties} message Account message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Account.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes an Account message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Account
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Account & firn.v1.Account.$Shape} Account
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Account.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Account();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.tags === $util.emptyObject)
                                message.tags = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.tags, key);
                            message.tags[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes an Account message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Account
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Account & firn.v1.Account.$Shape} Account
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Account.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies an Account message.
             * @function verify
             * @memberof firn.v1.Account
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Account.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.tags != null && $Object.hasOwnProperty.call(message, "tags")) {
                    if (!$util.isObject(message.tags))
                        return "tags: object expected";
                    let key = $Object.keys(message.tags);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.tags[key[i]]))
                            return "tags: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                return null;
            };

            /**
             * Creates an Account message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Account
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Account} Account
             */
            Account.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Account)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Account: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Account();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Account.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.tags) {
                    if (!$util.isObject(object.tags))
                        throw $TypeError(".firn.v1.Account.tags: object expected");
                    message.tags = {};
                    for (let keys = $Object.keys(object.tags), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.tags, keys[i]);
                        message.tags[keys[i]] = $String(object.tags[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                return message;
            };

            /**
             * Creates a plain object from an Account message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Account
             * @static
             * @param {firn.v1.Account} message Account
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Account.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.objects || options.defaults)
                    object.tags = {};
                if (options.defaults) {
                    object.envelope = null;
                    object.name = "";
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.tags && (keys2 = $Object.keys(message.tags)).length) {
                    object.tags = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.tags, keys2[j]);
                        object.tags[keys2[j]] = message.tags[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                return object;
            };

            /**
             * Converts this Account to JSON.
             * @function toJSON
             * @memberof firn.v1.Account
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Account.prototype.toJSON = function() {
                return Account.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Account
             * @function getTypeUrl
             * @memberof firn.v1.Account
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Account.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Account";
            };

            return Account;
        })();

        /**
         * EntityType enum.
         * @name firn.v1.EntityType
         * @enum {number}
         * @property {number} ENTITY_TYPE_UNSPECIFIED=0 ENTITY_TYPE_UNSPECIFIED value
         * @property {number} ENTITY_TYPE_ACCOUNT=1 ENTITY_TYPE_ACCOUNT value
         * @property {number} ENTITY_TYPE_CATALOG=2 ENTITY_TYPE_CATALOG value
         * @property {number} ENTITY_TYPE_NAMESPACE=3 ENTITY_TYPE_NAMESPACE value
         * @property {number} ENTITY_TYPE_TABLE=4 ENTITY_TYPE_TABLE value
         * @property {number} ENTITY_TYPE_VIEW=5 ENTITY_TYPE_VIEW value
         * @property {number} ENTITY_TYPE_SNAPSHOT=6 ENTITY_TYPE_SNAPSHOT value
         * @property {number} ENTITY_TYPE_TARGET_STATS=7 ENTITY_TYPE_TARGET_STATS value
         * @property {number} ENTITY_TYPE_CONSTRAINTS=8 ENTITY_TYPE_CONSTRAINTS value
         * @property {number} ENTITY_TYPE_CONNECTOR=9 ENTITY_TYPE_CONNECTOR value
         * @property {number} ENTITY_TYPE_CHANGE=10 ENTITY_TYPE_CHANGE value
         * @property {number} ENTITY_TYPE_REPORT=11 ENTITY_TYPE_REPORT value
         */
        v1.EntityType = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "ENTITY_TYPE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "ENTITY_TYPE_ACCOUNT"] = 1;
            values[valuesById[2] = "ENTITY_TYPE_CATALOG"] = 2;
            values[valuesById[3] = "ENTITY_TYPE_NAMESPACE"] = 3;
            values[valuesById[4] = "ENTITY_TYPE_TABLE"] = 4;
            values[valuesById[5] = "ENTITY_TYPE_VIEW"] = 5;
            values[valuesById[6] = "ENTITY_TYPE_SNAPSHOT"] = 6;
            values[valuesById[7] = "ENTITY_TYPE_TARGET_STATS"] = 7;
            values[valuesById[8] = "ENTITY_TYPE_CONSTRAINTS"] = 8;
            values[valuesById[9] = "ENTITY_TYPE_CONNECTOR"] = 9;
            values[valuesById[10] = "ENTITY_TYPE_CHANGE"] = 10;
            values[valuesById[11] = "ENTITY_TYPE_REPORT"] = 11;
            return values;
        })();

        /**
         * EntityState enum.
         * @name firn.v1.EntityState
         * @enum {number}
         * @property {number} ENTITY_STATE_UNSPECIFIED=0 ENTITY_STATE_UNSPECIFIED value
         * @property {number} ENTITY_STATE_ACTIVE=1 ENTITY_STATE_ACTIVE value
         * @property {number} ENTITY_STATE_DELETING=2 ENTITY_STATE_DELETING value
         * @property {number} ENTITY_STATE_DROPPED=3 ENTITY_STATE_DROPPED value
         * @property {number} ENTITY_STATE_PURGING=4 ENTITY_STATE_PURGING value
         */
        v1.EntityState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "ENTITY_STATE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "ENTITY_STATE_ACTIVE"] = 1;
            values[valuesById[2] = "ENTITY_STATE_DELETING"] = 2;
            values[valuesById[3] = "ENTITY_STATE_DROPPED"] = 3;
            values[valuesById[4] = "ENTITY_STATE_PURGING"] = 4;
            return values;
        })();

        v1.Envelope = (function() {

            /**
             * Properties of an Envelope.
             * @typedef {Object} firn.v1.Envelope.$Properties
             * @property {number|null} [schemaVersion] Envelope schemaVersion
             * @property {number|null} [minWriterVersion] Envelope minWriterVersion
             * @property {firn.v1.EntityType|null} [entityType] Envelope entityType
             * @property {Uint8Array|null} [accountId] Envelope accountId
             * @property {Uint8Array|null} [entityId] Envelope entityId
             * @property {Uint8Array|null} [revision] Envelope revision
             * @property {Long|null} [updatedAtMs] Envelope updatedAtMs
             * @property {string|null} [updatedBy] Envelope updatedBy
             * @property {string|null} [requestId] Envelope requestId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Envelope.
             * @memberof firn.v1
             * @interface IEnvelope
             * @augments firn.v1.Envelope.$Properties
             * @deprecated Use firn.v1.Envelope.$Properties instead.
             */

            /**
             * Shape of an Envelope.
             * @typedef {firn.v1.Envelope.$Properties} firn.v1.Envelope.$Shape
             */

            /**
             * Constructs a new Envelope.
             * @memberof firn.v1
             * @classdesc Represents an Envelope.
             * @constructor
             * @param {firn.v1.Envelope.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Envelope = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Envelope schemaVersion.
             * @member {number} schemaVersion
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.schemaVersion = 0;

            /**
             * Envelope minWriterVersion.
             * @member {number} minWriterVersion
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.minWriterVersion = 0;

            /**
             * Envelope entityType.
             * @member {firn.v1.EntityType} entityType
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.entityType = 0;

            /**
             * Envelope accountId.
             * @member {Uint8Array} accountId
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.accountId = $util.newBuffer([]);

            /**
             * Envelope entityId.
             * @member {Uint8Array} entityId
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.entityId = $util.newBuffer([]);

            /**
             * Envelope revision.
             * @member {Uint8Array} revision
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.revision = $util.newBuffer([]);

            /**
             * Envelope updatedAtMs.
             * @member {Long} updatedAtMs
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.updatedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Envelope updatedBy.
             * @member {string} updatedBy
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.updatedBy = "";

            /**
             * Envelope requestId.
             * @member {string} requestId
             * @memberof firn.v1.Envelope
             * @instance
             */
            Envelope.prototype.requestId = "";

            /**
             * Creates a new Envelope instance using the specified properties.
             * @function create
             * @memberof firn.v1.Envelope
             * @static
             * @param {firn.v1.Envelope.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Envelope} Envelope instance
             * @type {{
             *   (properties: firn.v1.Envelope.$Shape): firn.v1.Envelope & firn.v1.Envelope.$Shape;
             *   (properties?: firn.v1.Envelope.$Properties): firn.v1.Envelope;
             * }}
             */
            Envelope.create = function(properties) {
                return new Envelope(properties);
            };

            /**
             * Encodes the specified Envelope message. Does not implicitly {@link firn.v1.Envelope.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Envelope
             * @static
             * @param {firn.v1.Envelope.$Properties} message Envelope message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Envelope.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.schemaVersion != null && $Object.hasOwnProperty.call(message, "schemaVersion") && message.schemaVersion !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.schemaVersion);
                if (message.minWriterVersion != null && $Object.hasOwnProperty.call(message, "minWriterVersion") && message.minWriterVersion !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.minWriterVersion);
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType") && message.entityType !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.entityType);
                if (message.accountId != null && $Object.hasOwnProperty.call(message, "accountId") && message.accountId.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.accountId);
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId") && message.entityId.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).bytes(message.entityId);
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision") && message.revision.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.revision);
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs") && (typeof message.updatedAtMs === "object" ? message.updatedAtMs.low || message.updatedAtMs.high : message.updatedAtMs !== 0))
                    writer.uint32(/* id 7, wireType 0 =*/56).int64(message.updatedAtMs);
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy") && message.updatedBy !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.updatedBy);
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.requestId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Envelope message, length delimited. Does not implicitly {@link firn.v1.Envelope.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Envelope
             * @static
             * @param {firn.v1.Envelope.$Properties} message Envelope message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Envelope.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes an Envelope message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Envelope
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Envelope & firn.v1.Envelope.$Shape} Envelope
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Envelope.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Envelope();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.schemaVersion = value;
                            else
                                delete message.schemaVersion;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.minWriterVersion = value;
                            else
                                delete message.minWriterVersion;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.entityType = value;
                            else
                                delete message.entityType;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.accountId = value;
                            else
                                delete message.accountId;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.entityId = value;
                            else
                                delete message.entityId;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.revision = value;
                            else
                                delete message.revision;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.updatedAtMs = value;
                            else
                                delete message.updatedAtMs;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.updatedBy = value;
                            else
                                delete message.updatedBy;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes an Envelope message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Envelope
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Envelope & firn.v1.Envelope.$Shape} Envelope
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Envelope.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies an Envelope message.
             * @function verify
             * @memberof firn.v1.Envelope
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Envelope.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.schemaVersion != null && $Object.hasOwnProperty.call(message, "schemaVersion"))
                    if (!$util.isInteger(message.schemaVersion))
                        return "schemaVersion: integer expected";
                if (message.minWriterVersion != null && $Object.hasOwnProperty.call(message, "minWriterVersion"))
                    if (!$util.isInteger(message.minWriterVersion))
                        return "minWriterVersion: integer expected";
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType"))
                    if (typeof message.entityType !== "number" || (message.entityType | 0) !== message.entityType)
                        return "entityType: enum value expected";
                if (message.accountId != null && $Object.hasOwnProperty.call(message, "accountId"))
                    if (!(message.accountId && typeof message.accountId.length === "number" || $util.isString(message.accountId)))
                        return "accountId: buffer expected";
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId"))
                    if (!(message.entityId && typeof message.entityId.length === "number" || $util.isString(message.entityId)))
                        return "entityId: buffer expected";
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    if (!(message.revision && typeof message.revision.length === "number" || $util.isString(message.revision)))
                        return "revision: buffer expected";
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs"))
                    if (!$util.isInteger(message.updatedAtMs) && !(message.updatedAtMs && $util.isInteger(message.updatedAtMs.low) && $util.isInteger(message.updatedAtMs.high)))
                        return "updatedAtMs: integer|Long expected";
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy"))
                    if (!$util.isString(message.updatedBy))
                        return "updatedBy: string expected";
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                    if (!$util.isString(message.requestId))
                        return "requestId: string expected";
                return null;
            };

            /**
             * Creates an Envelope message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Envelope
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Envelope} Envelope
             */
            Envelope.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Envelope)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Envelope: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Envelope();
                if (object.schemaVersion != null)
                    if ($Number(object.schemaVersion) !== 0)
                        message.schemaVersion = object.schemaVersion >>> 0;
                if (object.minWriterVersion != null)
                    if ($Number(object.minWriterVersion) !== 0)
                        message.minWriterVersion = object.minWriterVersion >>> 0;
                if (object.entityType !== 0 && (typeof object.entityType !== "string" || $root.firn.v1.EntityType[object.entityType] !== 0))
                    switch (object.entityType) {
                    case "ENTITY_TYPE_UNSPECIFIED":
                    case 0:
                        message.entityType = 0;
                        break;
                    case "ENTITY_TYPE_ACCOUNT":
                    case 1:
                        message.entityType = 1;
                        break;
                    case "ENTITY_TYPE_CATALOG":
                    case 2:
                        message.entityType = 2;
                        break;
                    case "ENTITY_TYPE_NAMESPACE":
                    case 3:
                        message.entityType = 3;
                        break;
                    case "ENTITY_TYPE_TABLE":
                    case 4:
                        message.entityType = 4;
                        break;
                    case "ENTITY_TYPE_VIEW":
                    case 5:
                        message.entityType = 5;
                        break;
                    case "ENTITY_TYPE_SNAPSHOT":
                    case 6:
                        message.entityType = 6;
                        break;
                    case "ENTITY_TYPE_TARGET_STATS":
                    case 7:
                        message.entityType = 7;
                        break;
                    case "ENTITY_TYPE_CONSTRAINTS":
                    case 8:
                        message.entityType = 8;
                        break;
                    case "ENTITY_TYPE_CONNECTOR":
                    case 9:
                        message.entityType = 9;
                        break;
                    case "ENTITY_TYPE_CHANGE":
                    case 10:
                        message.entityType = 10;
                        break;
                    case "ENTITY_TYPE_REPORT":
                    case 11:
                        message.entityType = 11;
                        break;
                    default:
                        if (typeof object.entityType === "number" && (object.entityType | 0) === object.entityType)
                            message.entityType = object.entityType;
                    }
                if (object.accountId != null)
                    if (object.accountId.length)
                        if (typeof object.accountId === "string")
                            $util.base64.decode(object.accountId, message.accountId = $util.newBuffer($util.base64.length(object.accountId)), 0);
                        else if (object.accountId.length >= 0)
                            message.accountId = object.accountId;
                if (object.entityId != null)
                    if (object.entityId.length)
                        if (typeof object.entityId === "string")
                            $util.base64.decode(object.entityId, message.entityId = $util.newBuffer($util.base64.length(object.entityId)), 0);
                        else if (object.entityId.length >= 0)
                            message.entityId = object.entityId;
                if (object.revision != null)
                    if (object.revision.length)
                        if (typeof object.revision === "string")
                            $util.base64.decode(object.revision, message.revision = $util.newBuffer($util.base64.length(object.revision)), 0);
                        else if (object.revision.length >= 0)
                            message.revision = object.revision;
                if (object.updatedAtMs != null)
                    if (typeof object.updatedAtMs === "object" ? object.updatedAtMs.low || object.updatedAtMs.high : $Number(object.updatedAtMs) !== 0)
                        if ($util.Long)
                            message.updatedAtMs = $util.Long.fromValue(object.updatedAtMs, false);
                        else if (typeof object.updatedAtMs === "string")
                            message.updatedAtMs = $parseInt(object.updatedAtMs, 10);
                        else if (typeof object.updatedAtMs === "number")
                            message.updatedAtMs = object.updatedAtMs;
                        else if (typeof object.updatedAtMs === "object")
                            message.updatedAtMs = new $util.LongBits(object.updatedAtMs.low >>> 0, object.updatedAtMs.high >>> 0).toNumber();
                if (object.updatedBy != null)
                    if (typeof object.updatedBy !== "string" || object.updatedBy.length)
                        message.updatedBy = $String(object.updatedBy);
                if (object.requestId != null)
                    if (typeof object.requestId !== "string" || object.requestId.length)
                        message.requestId = $String(object.requestId);
                return message;
            };

            /**
             * Creates a plain object from an Envelope message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Envelope
             * @static
             * @param {firn.v1.Envelope} message Envelope
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Envelope.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.schemaVersion = 0;
                    object.minWriterVersion = 0;
                    object.entityType = options.enums === $String ? "ENTITY_TYPE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.accountId = "";
                    else {
                        object.accountId = [];
                        if (options.bytes !== $Array)
                            object.accountId = $util.newBuffer(object.accountId);
                    }
                    if (options.bytes === $String)
                        object.entityId = "";
                    else {
                        object.entityId = [];
                        if (options.bytes !== $Array)
                            object.entityId = $util.newBuffer(object.entityId);
                    }
                    if (options.bytes === $String)
                        object.revision = "";
                    else {
                        object.revision = [];
                        if (options.bytes !== $Array)
                            object.revision = $util.newBuffer(object.revision);
                    }
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.updatedAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.updatedAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.updatedBy = "";
                    object.requestId = "";
                }
                if (message.schemaVersion != null && $Object.hasOwnProperty.call(message, "schemaVersion"))
                    object.schemaVersion = message.schemaVersion;
                if (message.minWriterVersion != null && $Object.hasOwnProperty.call(message, "minWriterVersion"))
                    object.minWriterVersion = message.minWriterVersion;
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType"))
                    object.entityType = options.enums === $String ? $root.firn.v1.EntityType[message.entityType] === $undefined ? message.entityType : $root.firn.v1.EntityType[message.entityType] : message.entityType;
                if (message.accountId != null && $Object.hasOwnProperty.call(message, "accountId"))
                    object.accountId = options.bytes === $String ? $util.base64.encode(message.accountId, 0, message.accountId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.accountId) : message.accountId;
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId"))
                    object.entityId = options.bytes === $String ? $util.base64.encode(message.entityId, 0, message.entityId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.entityId) : message.entityId;
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    object.revision = options.bytes === $String ? $util.base64.encode(message.revision, 0, message.revision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.revision) : message.revision;
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.updatedAtMs = typeof message.updatedAtMs === "number" ? $BigInt(message.updatedAtMs) : $util.Long.fromBits(message.updatedAtMs.low >>> 0, message.updatedAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.updatedAtMs === "number")
                        object.updatedAtMs = options.longs === $String ? $String(message.updatedAtMs) : message.updatedAtMs;
                    else
                        object.updatedAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.updatedAtMs) : options.longs === $Number ? new $util.LongBits(message.updatedAtMs.low >>> 0, message.updatedAtMs.high >>> 0).toNumber() : message.updatedAtMs;
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy"))
                    object.updatedBy = message.updatedBy;
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                    object.requestId = message.requestId;
                return object;
            };

            /**
             * Converts this Envelope to JSON.
             * @function toJSON
             * @memberof firn.v1.Envelope
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Envelope.prototype.toJSON = function() {
                return Envelope.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Envelope
             * @function getTypeUrl
             * @memberof firn.v1.Envelope
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Envelope.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Envelope";
            };

            return Envelope;
        })();

        v1.Catalog = (function() {

            /**
             * Properties of a Catalog.
             * @typedef {Object} firn.v1.Catalog.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Catalog envelope
             * @property {string|null} [name] Catalog name
             * @property {string|null} [description] Catalog description
             * @property {Object.<string,string>|null} [properties] Catalog properties
             * @property {Long|null} [createdAtMs] Catalog createdAtMs
             * @property {firn.v1.EntityState|null} [state] Catalog state
             * @property {Uint8Array|null} [nameRevision] Catalog nameRevision
             * @property {number|null} [guardGeneration] Catalog guardGeneration
             * @property {boolean|null} ["protected"] Catalog protected
             * @property {Long|null} [purgeAfterMs] Catalog purgeAfterMs
             * @property {string|null} [defaultLocation] Catalog defaultLocation
             * @property {Array.<string>|null} [allowedLocations] Catalog allowedLocations
             * @property {Object.<string,string>|null} [defaultTableProperties] Catalog defaultTableProperties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Catalog.
             * @memberof firn.v1
             * @interface ICatalog
             * @augments firn.v1.Catalog.$Properties
             * @deprecated Use firn.v1.Catalog.$Properties instead.
             */

            /**
             * Shape of a Catalog.
             * @typedef {firn.v1.Catalog.$Properties} firn.v1.Catalog.$Shape
             */

            /**
             * Constructs a new Catalog.
             * @memberof firn.v1
             * @classdesc Represents a Catalog.
             * @constructor
             * @param {firn.v1.Catalog.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Catalog = function (properties) {
                this.properties = {};
                this.allowedLocations = [];
                this.defaultTableProperties = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Catalog envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.envelope = null;

            /**
             * Catalog name.
             * @member {string} name
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.name = "";

            /**
             * Catalog description.
             * @member {string} description
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.description = "";

            /**
             * Catalog properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.properties = $util.emptyObject;

            /**
             * Catalog createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Catalog state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.state = 0;

            /**
             * Catalog nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.nameRevision = $util.newBuffer([]);

            /**
             * Catalog guardGeneration.
             * @member {number} guardGeneration
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.guardGeneration = 0;

            /**
             * Catalog protected.
             * @member {boolean} protected
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype["protected"] = false;

            /**
             * Catalog purgeAfterMs.
             * @member {Long} purgeAfterMs
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.purgeAfterMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Catalog defaultLocation.
             * @member {string} defaultLocation
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.defaultLocation = "";

            /**
             * Catalog allowedLocations.
             * @member {Array.<string>} allowedLocations
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.allowedLocations = $util.emptyArray;

            /**
             * Catalog defaultTableProperties.
             * @member {Object.<string,string>} defaultTableProperties
             * @memberof firn.v1.Catalog
             * @instance
             */
            Catalog.prototype.defaultTableProperties = $util.emptyObject;

            /**
             * Creates a new Catalog instance using the specified properties.
             * @function create
             * @memberof firn.v1.Catalog
             * @static
             * @param {firn.v1.Catalog.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Catalog} Catalog instance
             * @type {{
             *   (properties: firn.v1.Catalog.$Shape): firn.v1.Catalog & firn.v1.Catalog.$Shape;
             *   (properties?: firn.v1.Catalog.$Properties): firn.v1.Catalog;
             * }}
             */
            Catalog.create = function(properties) {
                return new Catalog(properties);
            };

            /**
             * Encodes the specified Catalog message. Does not implicitly {@link firn.v1.Catalog.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Catalog
             * @static
             * @param {firn.v1.Catalog.$Properties} message Catalog message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Catalog.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration") && message.guardGeneration !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.guardGeneration);
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected") && message["protected"] !== false)
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message["protected"]);
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs") && (typeof message.purgeAfterMs === "object" ? message.purgeAfterMs.low || message.purgeAfterMs.high : message.purgeAfterMs !== 0))
                    writer.uint32(/* id 10, wireType 0 =*/80).int64(message.purgeAfterMs);
                if (message.defaultLocation != null && $Object.hasOwnProperty.call(message, "defaultLocation") && message.defaultLocation !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.defaultLocation);
                if (message.allowedLocations != null && message.allowedLocations.length)
                    for (let i = 0; i < message.allowedLocations.length; ++i)
                        writer.uint32(/* id 12, wireType 2 =*/98).string(message.allowedLocations[i]);
                if (message.defaultTableProperties != null && $Object.hasOwnProperty.call(message, "defaultTableProperties"))
                    for (let keys = $Object.keys(message.defaultTableProperties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 13, wireType 2 =*/106).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.defaultTableProperties[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Catalog message, length delimited. Does not implicitly {@link firn.v1.Catalog.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Catalog
             * @static
             * @param {firn.v1.Catalog.$Properties} message Catalog message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Catalog.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Catalog message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Catalog
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Catalog & firn.v1.Catalog.$Shape} Catalog
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Catalog.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Catalog();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.guardGeneration = value;
                            else
                                delete message.guardGeneration;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message["protected"] = value;
                            else
                                delete message["protected"];
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.purgeAfterMs = value;
                            else
                                delete message.purgeAfterMs;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.defaultLocation = value;
                            else
                                delete message.defaultLocation;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if (!(message.allowedLocations && message.allowedLocations.length))
                                message.allowedLocations = [];
                            message.allowedLocations.push(reader.stringVerify());
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if (message.defaultTableProperties === $util.emptyObject)
                                message.defaultTableProperties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.defaultTableProperties, key);
                            message.defaultTableProperties[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Catalog message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Catalog
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Catalog & firn.v1.Catalog.$Shape} Catalog
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Catalog.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Catalog message.
             * @function verify
             * @memberof firn.v1.Catalog
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Catalog.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    if (!$util.isInteger(message.guardGeneration))
                        return "guardGeneration: integer expected";
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    if (typeof message["protected"] !== "boolean")
                        return "protected: boolean expected";
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (!$util.isInteger(message.purgeAfterMs) && !(message.purgeAfterMs && $util.isInteger(message.purgeAfterMs.low) && $util.isInteger(message.purgeAfterMs.high)))
                        return "purgeAfterMs: integer|Long expected";
                if (message.defaultLocation != null && $Object.hasOwnProperty.call(message, "defaultLocation"))
                    if (!$util.isString(message.defaultLocation))
                        return "defaultLocation: string expected";
                if (message.allowedLocations != null && $Object.hasOwnProperty.call(message, "allowedLocations")) {
                    if (!$Array.isArray(message.allowedLocations))
                        return "allowedLocations: array expected";
                    for (let i = 0; i < message.allowedLocations.length; ++i)
                        if (!$util.isString(message.allowedLocations[i]))
                            return "allowedLocations: string[] expected";
                }
                if (message.defaultTableProperties != null && $Object.hasOwnProperty.call(message, "defaultTableProperties")) {
                    if (!$util.isObject(message.defaultTableProperties))
                        return "defaultTableProperties: object expected";
                    let key = $Object.keys(message.defaultTableProperties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.defaultTableProperties[key[i]]))
                            return "defaultTableProperties: string{k:string} expected";
                }
                return null;
            };

            /**
             * Creates a Catalog message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Catalog
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Catalog} Catalog
             */
            Catalog.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Catalog)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Catalog: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Catalog();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Catalog.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.Catalog.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object.guardGeneration != null)
                    if ($Number(object.guardGeneration) !== 0)
                        message.guardGeneration = object.guardGeneration >>> 0;
                if (object["protected"] != null)
                    if (object["protected"])
                        message["protected"] = $Boolean(object["protected"]);
                if (object.purgeAfterMs != null)
                    if (typeof object.purgeAfterMs === "object" ? object.purgeAfterMs.low || object.purgeAfterMs.high : $Number(object.purgeAfterMs) !== 0)
                        if ($util.Long)
                            message.purgeAfterMs = $util.Long.fromValue(object.purgeAfterMs, false);
                        else if (typeof object.purgeAfterMs === "string")
                            message.purgeAfterMs = $parseInt(object.purgeAfterMs, 10);
                        else if (typeof object.purgeAfterMs === "number")
                            message.purgeAfterMs = object.purgeAfterMs;
                        else if (typeof object.purgeAfterMs === "object")
                            message.purgeAfterMs = new $util.LongBits(object.purgeAfterMs.low >>> 0, object.purgeAfterMs.high >>> 0).toNumber();
                if (object.defaultLocation != null)
                    if (typeof object.defaultLocation !== "string" || object.defaultLocation.length)
                        message.defaultLocation = $String(object.defaultLocation);
                if (object.allowedLocations) {
                    if (!$Array.isArray(object.allowedLocations))
                        throw $TypeError(".firn.v1.Catalog.allowedLocations: array expected");
                    message.allowedLocations = $Array(object.allowedLocations.length);
                    for (let i = 0; i < object.allowedLocations.length; ++i)
                        message.allowedLocations[i] = $String(object.allowedLocations[i]);
                }
                if (object.defaultTableProperties) {
                    if (!$util.isObject(object.defaultTableProperties))
                        throw $TypeError(".firn.v1.Catalog.defaultTableProperties: object expected");
                    message.defaultTableProperties = {};
                    for (let keys = $Object.keys(object.defaultTableProperties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.defaultTableProperties, keys[i]);
                        message.defaultTableProperties[keys[i]] = $String(object.defaultTableProperties[keys[i]]);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a Catalog message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Catalog
             * @static
             * @param {firn.v1.Catalog} message Catalog
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Catalog.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.allowedLocations = [];
                if (options.objects || options.defaults) {
                    object.properties = {};
                    object.defaultTableProperties = {};
                }
                if (options.defaults) {
                    object.envelope = null;
                    object.name = "";
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    object.guardGeneration = 0;
                    object["protected"] = false;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.purgeAfterMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.purgeAfterMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.defaultLocation = "";
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    object.guardGeneration = message.guardGeneration;
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    object["protected"] = message["protected"];
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.purgeAfterMs = typeof message.purgeAfterMs === "number" ? $BigInt(message.purgeAfterMs) : $util.Long.fromBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0, false).toBigInt();
                    else if (typeof message.purgeAfterMs === "number")
                        object.purgeAfterMs = options.longs === $String ? $String(message.purgeAfterMs) : message.purgeAfterMs;
                    else
                        object.purgeAfterMs = options.longs === $String ? $util.Long.prototype.toString.call(message.purgeAfterMs) : options.longs === $Number ? new $util.LongBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0).toNumber() : message.purgeAfterMs;
                if (message.defaultLocation != null && $Object.hasOwnProperty.call(message, "defaultLocation"))
                    object.defaultLocation = message.defaultLocation;
                if (message.allowedLocations && message.allowedLocations.length) {
                    object.allowedLocations = $Array(message.allowedLocations.length);
                    for (let j = 0; j < message.allowedLocations.length; ++j)
                        object.allowedLocations[j] = message.allowedLocations[j];
                }
                if (message.defaultTableProperties && (keys2 = $Object.keys(message.defaultTableProperties)).length) {
                    object.defaultTableProperties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.defaultTableProperties, keys2[j]);
                        object.defaultTableProperties[keys2[j]] = message.defaultTableProperties[keys2[j]];
                    }
                }
                return object;
            };

            /**
             * Converts this Catalog to JSON.
             * @function toJSON
             * @memberof firn.v1.Catalog
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Catalog.prototype.toJSON = function() {
                return Catalog.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Catalog
             * @function getTypeUrl
             * @memberof firn.v1.Catalog
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Catalog.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Catalog";
            };

            return Catalog;
        })();

        v1.ChangedKey = (function() {

            /**
             * Properties of a ChangedKey.
             * @typedef {Object} firn.v1.ChangedKey.$Properties
             * @property {string|null} [key] ChangedKey key
             * @property {Long|null} [versionFrom] ChangedKey versionFrom
             * @property {Long|null} [versionTo] ChangedKey versionTo
             * @property {Uint8Array|null} [blobFrom] ChangedKey blobFrom
             * @property {Uint8Array|null} [blobTo] ChangedKey blobTo
             * @property {boolean|null} [deleted] ChangedKey deleted
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ChangedKey.
             * @memberof firn.v1
             * @interface IChangedKey
             * @augments firn.v1.ChangedKey.$Properties
             * @deprecated Use firn.v1.ChangedKey.$Properties instead.
             */

            /**
             * Shape of a ChangedKey.
             * @typedef {firn.v1.ChangedKey.$Properties} firn.v1.ChangedKey.$Shape
             */

            /**
             * Constructs a new ChangedKey.
             * @memberof firn.v1
             * @classdesc Represents a ChangedKey.
             * @constructor
             * @param {firn.v1.ChangedKey.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ChangedKey = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ChangedKey key.
             * @member {string} key
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.key = "";

            /**
             * ChangedKey versionFrom.
             * @member {Long} versionFrom
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.versionFrom = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ChangedKey versionTo.
             * @member {Long} versionTo
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.versionTo = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ChangedKey blobFrom.
             * @member {Uint8Array} blobFrom
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.blobFrom = $util.newBuffer([]);

            /**
             * ChangedKey blobTo.
             * @member {Uint8Array} blobTo
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.blobTo = $util.newBuffer([]);

            /**
             * ChangedKey deleted.
             * @member {boolean} deleted
             * @memberof firn.v1.ChangedKey
             * @instance
             */
            ChangedKey.prototype.deleted = false;

            /**
             * Creates a new ChangedKey instance using the specified properties.
             * @function create
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {firn.v1.ChangedKey.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ChangedKey} ChangedKey instance
             * @type {{
             *   (properties: firn.v1.ChangedKey.$Shape): firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape;
             *   (properties?: firn.v1.ChangedKey.$Properties): firn.v1.ChangedKey;
             * }}
             */
            ChangedKey.create = function(properties) {
                return new ChangedKey(properties);
            };

            /**
             * Encodes the specified ChangedKey message. Does not implicitly {@link firn.v1.ChangedKey.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {firn.v1.ChangedKey.$Properties} message ChangedKey message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangedKey.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.key);
                if (message.versionFrom != null && $Object.hasOwnProperty.call(message, "versionFrom") && (typeof message.versionFrom === "object" ? message.versionFrom.low || message.versionFrom.high : message.versionFrom !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.versionFrom);
                if (message.versionTo != null && $Object.hasOwnProperty.call(message, "versionTo") && (typeof message.versionTo === "object" ? message.versionTo.low || message.versionTo.high : message.versionTo !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.versionTo);
                if (message.blobFrom != null && $Object.hasOwnProperty.call(message, "blobFrom") && message.blobFrom.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.blobFrom);
                if (message.blobTo != null && $Object.hasOwnProperty.call(message, "blobTo") && message.blobTo.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).bytes(message.blobTo);
                if (message.deleted != null && $Object.hasOwnProperty.call(message, "deleted") && message.deleted !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.deleted);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ChangedKey message, length delimited. Does not implicitly {@link firn.v1.ChangedKey.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {firn.v1.ChangedKey.$Properties} message ChangedKey message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangedKey.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ChangedKey message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape} ChangedKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangedKey.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ChangedKey();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.key = value;
                            else
                                delete message.key;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.versionFrom = value;
                            else
                                delete message.versionFrom;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.versionTo = value;
                            else
                                delete message.versionTo;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.blobFrom = value;
                            else
                                delete message.blobFrom;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.blobTo = value;
                            else
                                delete message.blobTo;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.deleted = value;
                            else
                                delete message.deleted;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ChangedKey message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ChangedKey & firn.v1.ChangedKey.$Shape} ChangedKey
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangedKey.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ChangedKey message.
             * @function verify
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ChangedKey.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                    if (!$util.isString(message.key))
                        return "key: string expected";
                if (message.versionFrom != null && $Object.hasOwnProperty.call(message, "versionFrom"))
                    if (!$util.isInteger(message.versionFrom) && !(message.versionFrom && $util.isInteger(message.versionFrom.low) && $util.isInteger(message.versionFrom.high)))
                        return "versionFrom: integer|Long expected";
                if (message.versionTo != null && $Object.hasOwnProperty.call(message, "versionTo"))
                    if (!$util.isInteger(message.versionTo) && !(message.versionTo && $util.isInteger(message.versionTo.low) && $util.isInteger(message.versionTo.high)))
                        return "versionTo: integer|Long expected";
                if (message.blobFrom != null && $Object.hasOwnProperty.call(message, "blobFrom"))
                    if (!(message.blobFrom && typeof message.blobFrom.length === "number" || $util.isString(message.blobFrom)))
                        return "blobFrom: buffer expected";
                if (message.blobTo != null && $Object.hasOwnProperty.call(message, "blobTo"))
                    if (!(message.blobTo && typeof message.blobTo.length === "number" || $util.isString(message.blobTo)))
                        return "blobTo: buffer expected";
                if (message.deleted != null && $Object.hasOwnProperty.call(message, "deleted"))
                    if (typeof message.deleted !== "boolean")
                        return "deleted: boolean expected";
                return null;
            };

            /**
             * Creates a ChangedKey message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ChangedKey} ChangedKey
             */
            ChangedKey.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ChangedKey)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ChangedKey: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ChangedKey();
                if (object.key != null)
                    if (typeof object.key !== "string" || object.key.length)
                        message.key = $String(object.key);
                if (object.versionFrom != null)
                    if (typeof object.versionFrom === "object" ? object.versionFrom.low || object.versionFrom.high : $Number(object.versionFrom) !== 0)
                        if ($util.Long)
                            message.versionFrom = $util.Long.fromValue(object.versionFrom, false);
                        else if (typeof object.versionFrom === "string")
                            message.versionFrom = $parseInt(object.versionFrom, 10);
                        else if (typeof object.versionFrom === "number")
                            message.versionFrom = object.versionFrom;
                        else if (typeof object.versionFrom === "object")
                            message.versionFrom = new $util.LongBits(object.versionFrom.low >>> 0, object.versionFrom.high >>> 0).toNumber();
                if (object.versionTo != null)
                    if (typeof object.versionTo === "object" ? object.versionTo.low || object.versionTo.high : $Number(object.versionTo) !== 0)
                        if ($util.Long)
                            message.versionTo = $util.Long.fromValue(object.versionTo, false);
                        else if (typeof object.versionTo === "string")
                            message.versionTo = $parseInt(object.versionTo, 10);
                        else if (typeof object.versionTo === "number")
                            message.versionTo = object.versionTo;
                        else if (typeof object.versionTo === "object")
                            message.versionTo = new $util.LongBits(object.versionTo.low >>> 0, object.versionTo.high >>> 0).toNumber();
                if (object.blobFrom != null)
                    if (object.blobFrom.length)
                        if (typeof object.blobFrom === "string")
                            $util.base64.decode(object.blobFrom, message.blobFrom = $util.newBuffer($util.base64.length(object.blobFrom)), 0);
                        else if (object.blobFrom.length >= 0)
                            message.blobFrom = object.blobFrom;
                if (object.blobTo != null)
                    if (object.blobTo.length)
                        if (typeof object.blobTo === "string")
                            $util.base64.decode(object.blobTo, message.blobTo = $util.newBuffer($util.base64.length(object.blobTo)), 0);
                        else if (object.blobTo.length >= 0)
                            message.blobTo = object.blobTo;
                if (object.deleted != null)
                    if (object.deleted)
                        message.deleted = $Boolean(object.deleted);
                return message;
            };

            /**
             * Creates a plain object from a ChangedKey message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {firn.v1.ChangedKey} message ChangedKey
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ChangedKey.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.key = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.versionFrom = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.versionFrom = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.versionTo = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.versionTo = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.blobFrom = "";
                    else {
                        object.blobFrom = [];
                        if (options.bytes !== $Array)
                            object.blobFrom = $util.newBuffer(object.blobFrom);
                    }
                    if (options.bytes === $String)
                        object.blobTo = "";
                    else {
                        object.blobTo = [];
                        if (options.bytes !== $Array)
                            object.blobTo = $util.newBuffer(object.blobTo);
                    }
                    object.deleted = false;
                }
                if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                    object.key = message.key;
                if (message.versionFrom != null && $Object.hasOwnProperty.call(message, "versionFrom"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.versionFrom = typeof message.versionFrom === "number" ? $BigInt(message.versionFrom) : $util.Long.fromBits(message.versionFrom.low >>> 0, message.versionFrom.high >>> 0, false).toBigInt();
                    else if (typeof message.versionFrom === "number")
                        object.versionFrom = options.longs === $String ? $String(message.versionFrom) : message.versionFrom;
                    else
                        object.versionFrom = options.longs === $String ? $util.Long.prototype.toString.call(message.versionFrom) : options.longs === $Number ? new $util.LongBits(message.versionFrom.low >>> 0, message.versionFrom.high >>> 0).toNumber() : message.versionFrom;
                if (message.versionTo != null && $Object.hasOwnProperty.call(message, "versionTo"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.versionTo = typeof message.versionTo === "number" ? $BigInt(message.versionTo) : $util.Long.fromBits(message.versionTo.low >>> 0, message.versionTo.high >>> 0, false).toBigInt();
                    else if (typeof message.versionTo === "number")
                        object.versionTo = options.longs === $String ? $String(message.versionTo) : message.versionTo;
                    else
                        object.versionTo = options.longs === $String ? $util.Long.prototype.toString.call(message.versionTo) : options.longs === $Number ? new $util.LongBits(message.versionTo.low >>> 0, message.versionTo.high >>> 0).toNumber() : message.versionTo;
                if (message.blobFrom != null && $Object.hasOwnProperty.call(message, "blobFrom"))
                    object.blobFrom = options.bytes === $String ? $util.base64.encode(message.blobFrom, 0, message.blobFrom.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.blobFrom) : message.blobFrom;
                if (message.blobTo != null && $Object.hasOwnProperty.call(message, "blobTo"))
                    object.blobTo = options.bytes === $String ? $util.base64.encode(message.blobTo, 0, message.blobTo.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.blobTo) : message.blobTo;
                if (message.deleted != null && $Object.hasOwnProperty.call(message, "deleted"))
                    object.deleted = message.deleted;
                return object;
            };

            /**
             * Converts this ChangedKey to JSON.
             * @function toJSON
             * @memberof firn.v1.ChangedKey
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ChangedKey.prototype.toJSON = function() {
                return ChangedKey.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ChangedKey
             * @function getTypeUrl
             * @memberof firn.v1.ChangedKey
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ChangedKey.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ChangedKey";
            };

            return ChangedKey;
        })();

        v1.ChangedKeys = (function() {

            /**
             * Properties of a ChangedKeys.
             * @typedef {Object} firn.v1.ChangedKeys.$Properties
             * @property {Array.<firn.v1.ChangedKey.$Properties>|null} [keys] ChangedKeys keys
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ChangedKeys.
             * @memberof firn.v1
             * @interface IChangedKeys
             * @augments firn.v1.ChangedKeys.$Properties
             * @deprecated Use firn.v1.ChangedKeys.$Properties instead.
             */

            /**
             * Shape of a ChangedKeys.
             * @typedef {firn.v1.ChangedKeys.$Properties} firn.v1.ChangedKeys.$Shape
             */

            /**
             * Constructs a new ChangedKeys.
             * @memberof firn.v1
             * @classdesc Represents a ChangedKeys.
             * @constructor
             * @param {firn.v1.ChangedKeys.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ChangedKeys = function (properties) {
                this.keys = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ChangedKeys keys.
             * @member {Array.<firn.v1.ChangedKey.$Properties>} keys
             * @memberof firn.v1.ChangedKeys
             * @instance
             */
            ChangedKeys.prototype.keys = $util.emptyArray;

            /**
             * Creates a new ChangedKeys instance using the specified properties.
             * @function create
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {firn.v1.ChangedKeys.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ChangedKeys} ChangedKeys instance
             * @type {{
             *   (properties: firn.v1.ChangedKeys.$Shape): firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape;
             *   (properties?: firn.v1.ChangedKeys.$Properties): firn.v1.ChangedKeys;
             * }}
             */
            ChangedKeys.create = function(properties) {
                return new ChangedKeys(properties);
            };

            /**
             * Encodes the specified ChangedKeys message. Does not implicitly {@link firn.v1.ChangedKeys.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {firn.v1.ChangedKeys.$Properties} message ChangedKeys message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangedKeys.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.keys != null && message.keys.length)
                    for (let i = 0; i < message.keys.length; ++i)
                        $root.firn.v1.ChangedKey.encode(message.keys[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ChangedKeys message, length delimited. Does not implicitly {@link firn.v1.ChangedKeys.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {firn.v1.ChangedKeys.$Properties} message ChangedKeys message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangedKeys.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ChangedKeys message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape} ChangedKeys
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangedKeys.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ChangedKeys();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.keys && message.keys.length))
                                message.keys = [];
                            message.keys.push($root.firn.v1.ChangedKey.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ChangedKeys message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ChangedKeys & firn.v1.ChangedKeys.$Shape} ChangedKeys
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangedKeys.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ChangedKeys message.
             * @function verify
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ChangedKeys.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys")) {
                    if (!$Array.isArray(message.keys))
                        return "keys: array expected";
                    for (let i = 0; i < message.keys.length; ++i) {
                        let error = $root.firn.v1.ChangedKey.verify(message.keys[i], _depth + 1);
                        if (error)
                            return "keys." + error;
                    }
                }
                return null;
            };

            /**
             * Creates a ChangedKeys message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ChangedKeys} ChangedKeys
             */
            ChangedKeys.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ChangedKeys)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ChangedKeys: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ChangedKeys();
                if (object.keys) {
                    if (!$Array.isArray(object.keys))
                        throw $TypeError(".firn.v1.ChangedKeys.keys: array expected");
                    message.keys = $Array(object.keys.length);
                    for (let i = 0; i < object.keys.length; ++i) {
                        if (!$util.isObject(object.keys[i]))
                            throw $TypeError(".firn.v1.ChangedKeys.keys: object expected");
                        message.keys[i] = $root.firn.v1.ChangedKey.fromObject(object.keys[i], _depth + 1);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a ChangedKeys message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {firn.v1.ChangedKeys} message ChangedKeys
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ChangedKeys.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.keys = [];
                if (message.keys && message.keys.length) {
                    object.keys = $Array(message.keys.length);
                    for (let j = 0; j < message.keys.length; ++j)
                        object.keys[j] = $root.firn.v1.ChangedKey.toObject(message.keys[j], options, _depth + 1);
                }
                return object;
            };

            /**
             * Converts this ChangedKeys to JSON.
             * @function toJSON
             * @memberof firn.v1.ChangedKeys
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ChangedKeys.prototype.toJSON = function() {
                return ChangedKeys.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ChangedKeys
             * @function getTypeUrl
             * @memberof firn.v1.ChangedKeys
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ChangedKeys.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ChangedKeys";
            };

            return ChangedKeys;
        })();

        v1.ChangeRecord = (function() {

            /**
             * Properties of a ChangeRecord.
             * @typedef {Object} firn.v1.ChangeRecord.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] ChangeRecord envelope
             * @property {string|null} [requestId] ChangeRecord requestId
             * @property {string|null} [principal] ChangeRecord principal
             * @property {Long|null} [timeMs] ChangeRecord timeMs
             * @property {string|null} [operation] ChangeRecord operation
             * @property {Array.<firn.v1.ChangedKey.$Properties>|null} [keys] ChangeRecord keys
             * @property {Uint8Array|null} [packedKeys] ChangeRecord packedKeys
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ChangeRecord.
             * @memberof firn.v1
             * @interface IChangeRecord
             * @augments firn.v1.ChangeRecord.$Properties
             * @deprecated Use firn.v1.ChangeRecord.$Properties instead.
             */

            /**
             * Shape of a ChangeRecord.
             * @typedef {firn.v1.ChangeRecord.$Properties} firn.v1.ChangeRecord.$Shape
             */

            /**
             * Constructs a new ChangeRecord.
             * @memberof firn.v1
             * @classdesc Represents a ChangeRecord.
             * @constructor
             * @param {firn.v1.ChangeRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ChangeRecord = function (properties) {
                this.keys = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ChangeRecord envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.envelope = null;

            /**
             * ChangeRecord requestId.
             * @member {string} requestId
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.requestId = "";

            /**
             * ChangeRecord principal.
             * @member {string} principal
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.principal = "";

            /**
             * ChangeRecord timeMs.
             * @member {Long} timeMs
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.timeMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ChangeRecord operation.
             * @member {string} operation
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.operation = "";

            /**
             * ChangeRecord keys.
             * @member {Array.<firn.v1.ChangedKey.$Properties>} keys
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.keys = $util.emptyArray;

            /**
             * ChangeRecord packedKeys.
             * @member {Uint8Array} packedKeys
             * @memberof firn.v1.ChangeRecord
             * @instance
             */
            ChangeRecord.prototype.packedKeys = $util.newBuffer([]);

            /**
             * Creates a new ChangeRecord instance using the specified properties.
             * @function create
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {firn.v1.ChangeRecord.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ChangeRecord} ChangeRecord instance
             * @type {{
             *   (properties: firn.v1.ChangeRecord.$Shape): firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape;
             *   (properties?: firn.v1.ChangeRecord.$Properties): firn.v1.ChangeRecord;
             * }}
             */
            ChangeRecord.create = function(properties) {
                return new ChangeRecord(properties);
            };

            /**
             * Encodes the specified ChangeRecord message. Does not implicitly {@link firn.v1.ChangeRecord.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {firn.v1.ChangeRecord.$Properties} message ChangeRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangeRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.requestId);
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal") && message.principal !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.principal);
                if (message.timeMs != null && $Object.hasOwnProperty.call(message, "timeMs") && (typeof message.timeMs === "object" ? message.timeMs.low || message.timeMs.high : message.timeMs !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.timeMs);
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation") && message.operation !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.operation);
                if (message.keys != null && message.keys.length)
                    for (let i = 0; i < message.keys.length; ++i)
                        $root.firn.v1.ChangedKey.encode(message.keys[i], writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.packedKeys != null && $Object.hasOwnProperty.call(message, "packedKeys") && message.packedKeys.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.packedKeys);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ChangeRecord message, length delimited. Does not implicitly {@link firn.v1.ChangeRecord.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {firn.v1.ChangeRecord.$Properties} message ChangeRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ChangeRecord.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ChangeRecord message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape} ChangeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangeRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ChangeRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.principal = value;
                            else
                                delete message.principal;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.timeMs = value;
                            else
                                delete message.timeMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.operation = value;
                            else
                                delete message.operation;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if (!(message.keys && message.keys.length))
                                message.keys = [];
                            message.keys.push($root.firn.v1.ChangedKey.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.packedKeys = value;
                            else
                                delete message.packedKeys;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ChangeRecord message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ChangeRecord & firn.v1.ChangeRecord.$Shape} ChangeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ChangeRecord.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ChangeRecord message.
             * @function verify
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ChangeRecord.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                    if (!$util.isString(message.requestId))
                        return "requestId: string expected";
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal"))
                    if (!$util.isString(message.principal))
                        return "principal: string expected";
                if (message.timeMs != null && $Object.hasOwnProperty.call(message, "timeMs"))
                    if (!$util.isInteger(message.timeMs) && !(message.timeMs && $util.isInteger(message.timeMs.low) && $util.isInteger(message.timeMs.high)))
                        return "timeMs: integer|Long expected";
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation"))
                    if (!$util.isString(message.operation))
                        return "operation: string expected";
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys")) {
                    if (!$Array.isArray(message.keys))
                        return "keys: array expected";
                    for (let i = 0; i < message.keys.length; ++i) {
                        let error = $root.firn.v1.ChangedKey.verify(message.keys[i], _depth + 1);
                        if (error)
                            return "keys." + error;
                    }
                }
                if (message.packedKeys != null && $Object.hasOwnProperty.call(message, "packedKeys"))
                    if (!(message.packedKeys && typeof message.packedKeys.length === "number" || $util.isString(message.packedKeys)))
                        return "packedKeys: buffer expected";
                return null;
            };

            /**
             * Creates a ChangeRecord message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ChangeRecord} ChangeRecord
             */
            ChangeRecord.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ChangeRecord)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ChangeRecord: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ChangeRecord();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.ChangeRecord.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.requestId != null)
                    if (typeof object.requestId !== "string" || object.requestId.length)
                        message.requestId = $String(object.requestId);
                if (object.principal != null)
                    if (typeof object.principal !== "string" || object.principal.length)
                        message.principal = $String(object.principal);
                if (object.timeMs != null)
                    if (typeof object.timeMs === "object" ? object.timeMs.low || object.timeMs.high : $Number(object.timeMs) !== 0)
                        if ($util.Long)
                            message.timeMs = $util.Long.fromValue(object.timeMs, false);
                        else if (typeof object.timeMs === "string")
                            message.timeMs = $parseInt(object.timeMs, 10);
                        else if (typeof object.timeMs === "number")
                            message.timeMs = object.timeMs;
                        else if (typeof object.timeMs === "object")
                            message.timeMs = new $util.LongBits(object.timeMs.low >>> 0, object.timeMs.high >>> 0).toNumber();
                if (object.operation != null)
                    if (typeof object.operation !== "string" || object.operation.length)
                        message.operation = $String(object.operation);
                if (object.keys) {
                    if (!$Array.isArray(object.keys))
                        throw $TypeError(".firn.v1.ChangeRecord.keys: array expected");
                    message.keys = $Array(object.keys.length);
                    for (let i = 0; i < object.keys.length; ++i) {
                        if (!$util.isObject(object.keys[i]))
                            throw $TypeError(".firn.v1.ChangeRecord.keys: object expected");
                        message.keys[i] = $root.firn.v1.ChangedKey.fromObject(object.keys[i], _depth + 1);
                    }
                }
                if (object.packedKeys != null)
                    if (object.packedKeys.length)
                        if (typeof object.packedKeys === "string")
                            $util.base64.decode(object.packedKeys, message.packedKeys = $util.newBuffer($util.base64.length(object.packedKeys)), 0);
                        else if (object.packedKeys.length >= 0)
                            message.packedKeys = object.packedKeys;
                return message;
            };

            /**
             * Creates a plain object from a ChangeRecord message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {firn.v1.ChangeRecord} message ChangeRecord
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ChangeRecord.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.keys = [];
                if (options.defaults) {
                    object.envelope = null;
                    object.requestId = "";
                    object.principal = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.timeMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.timeMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.operation = "";
                    if (options.bytes === $String)
                        object.packedKeys = "";
                    else {
                        object.packedKeys = [];
                        if (options.bytes !== $Array)
                            object.packedKeys = $util.newBuffer(object.packedKeys);
                    }
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId"))
                    object.requestId = message.requestId;
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal"))
                    object.principal = message.principal;
                if (message.timeMs != null && $Object.hasOwnProperty.call(message, "timeMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.timeMs = typeof message.timeMs === "number" ? $BigInt(message.timeMs) : $util.Long.fromBits(message.timeMs.low >>> 0, message.timeMs.high >>> 0, false).toBigInt();
                    else if (typeof message.timeMs === "number")
                        object.timeMs = options.longs === $String ? $String(message.timeMs) : message.timeMs;
                    else
                        object.timeMs = options.longs === $String ? $util.Long.prototype.toString.call(message.timeMs) : options.longs === $Number ? new $util.LongBits(message.timeMs.low >>> 0, message.timeMs.high >>> 0).toNumber() : message.timeMs;
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation"))
                    object.operation = message.operation;
                if (message.keys && message.keys.length) {
                    object.keys = $Array(message.keys.length);
                    for (let j = 0; j < message.keys.length; ++j)
                        object.keys[j] = $root.firn.v1.ChangedKey.toObject(message.keys[j], options, _depth + 1);
                }
                if (message.packedKeys != null && $Object.hasOwnProperty.call(message, "packedKeys"))
                    object.packedKeys = options.bytes === $String ? $util.base64.encode(message.packedKeys, 0, message.packedKeys.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.packedKeys) : message.packedKeys;
                return object;
            };

            /**
             * Converts this ChangeRecord to JSON.
             * @function toJSON
             * @memberof firn.v1.ChangeRecord
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ChangeRecord.prototype.toJSON = function() {
                return ChangeRecord.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ChangeRecord
             * @function getTypeUrl
             * @memberof firn.v1.ChangeRecord
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ChangeRecord.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ChangeRecord";
            };

            return ChangeRecord;
        })();

        /**
         * ConnectorKind enum.
         * @name firn.v1.ConnectorKind
         * @enum {number}
         * @property {number} CONNECTOR_KIND_UNSPECIFIED=0 CONNECTOR_KIND_UNSPECIFIED value
         * @property {number} CONNECTOR_KIND_ICEBERG_REST=1 CONNECTOR_KIND_ICEBERG_REST value
         * @property {number} CONNECTOR_KIND_GLUE=2 CONNECTOR_KIND_GLUE value
         * @property {number} CONNECTOR_KIND_DELTA=3 CONNECTOR_KIND_DELTA value
         * @property {number} CONNECTOR_KIND_UNITY=4 CONNECTOR_KIND_UNITY value
         */
        v1.ConnectorKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "CONNECTOR_KIND_UNSPECIFIED"] = 0;
            values[valuesById[1] = "CONNECTOR_KIND_ICEBERG_REST"] = 1;
            values[valuesById[2] = "CONNECTOR_KIND_GLUE"] = 2;
            values[valuesById[3] = "CONNECTOR_KIND_DELTA"] = 3;
            values[valuesById[4] = "CONNECTOR_KIND_UNITY"] = 4;
            return values;
        })();

        v1.ConnectorPolicy = (function() {

            /**
             * Properties of a ConnectorPolicy.
             * @typedef {Object} firn.v1.ConnectorPolicy.$Properties
             * @property {boolean|null} [enabled] ConnectorPolicy enabled
             * @property {Long|null} [intervalMs] ConnectorPolicy intervalMs
             * @property {Array.<string>|null} [scope] ConnectorPolicy scope
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ConnectorPolicy.
             * @memberof firn.v1
             * @interface IConnectorPolicy
             * @augments firn.v1.ConnectorPolicy.$Properties
             * @deprecated Use firn.v1.ConnectorPolicy.$Properties instead.
             */

            /**
             * Shape of a ConnectorPolicy.
             * @typedef {firn.v1.ConnectorPolicy.$Properties} firn.v1.ConnectorPolicy.$Shape
             */

            /**
             * Constructs a new ConnectorPolicy.
             * @memberof firn.v1
             * @classdesc Represents a ConnectorPolicy.
             * @constructor
             * @param {firn.v1.ConnectorPolicy.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ConnectorPolicy = function (properties) {
                this.scope = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ConnectorPolicy enabled.
             * @member {boolean} enabled
             * @memberof firn.v1.ConnectorPolicy
             * @instance
             */
            ConnectorPolicy.prototype.enabled = false;

            /**
             * ConnectorPolicy intervalMs.
             * @member {Long} intervalMs
             * @memberof firn.v1.ConnectorPolicy
             * @instance
             */
            ConnectorPolicy.prototype.intervalMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ConnectorPolicy scope.
             * @member {Array.<string>} scope
             * @memberof firn.v1.ConnectorPolicy
             * @instance
             */
            ConnectorPolicy.prototype.scope = $util.emptyArray;

            /**
             * Creates a new ConnectorPolicy instance using the specified properties.
             * @function create
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {firn.v1.ConnectorPolicy.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ConnectorPolicy} ConnectorPolicy instance
             * @type {{
             *   (properties: firn.v1.ConnectorPolicy.$Shape): firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape;
             *   (properties?: firn.v1.ConnectorPolicy.$Properties): firn.v1.ConnectorPolicy;
             * }}
             */
            ConnectorPolicy.create = function(properties) {
                return new ConnectorPolicy(properties);
            };

            /**
             * Encodes the specified ConnectorPolicy message. Does not implicitly {@link firn.v1.ConnectorPolicy.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {firn.v1.ConnectorPolicy.$Properties} message ConnectorPolicy message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ConnectorPolicy.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.enabled != null && $Object.hasOwnProperty.call(message, "enabled") && message.enabled !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.enabled);
                if (message.intervalMs != null && $Object.hasOwnProperty.call(message, "intervalMs") && (typeof message.intervalMs === "object" ? message.intervalMs.low || message.intervalMs.high : message.intervalMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.intervalMs);
                if (message.scope != null && message.scope.length)
                    for (let i = 0; i < message.scope.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.scope[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ConnectorPolicy message, length delimited. Does not implicitly {@link firn.v1.ConnectorPolicy.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {firn.v1.ConnectorPolicy.$Properties} message ConnectorPolicy message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ConnectorPolicy.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ConnectorPolicy message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape} ConnectorPolicy
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ConnectorPolicy.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ConnectorPolicy();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.enabled = value;
                            else
                                delete message.enabled;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.intervalMs = value;
                            else
                                delete message.intervalMs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.scope && message.scope.length))
                                message.scope = [];
                            message.scope.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ConnectorPolicy message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ConnectorPolicy & firn.v1.ConnectorPolicy.$Shape} ConnectorPolicy
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ConnectorPolicy.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ConnectorPolicy message.
             * @function verify
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ConnectorPolicy.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.enabled != null && $Object.hasOwnProperty.call(message, "enabled"))
                    if (typeof message.enabled !== "boolean")
                        return "enabled: boolean expected";
                if (message.intervalMs != null && $Object.hasOwnProperty.call(message, "intervalMs"))
                    if (!$util.isInteger(message.intervalMs) && !(message.intervalMs && $util.isInteger(message.intervalMs.low) && $util.isInteger(message.intervalMs.high)))
                        return "intervalMs: integer|Long expected";
                if (message.scope != null && $Object.hasOwnProperty.call(message, "scope")) {
                    if (!$Array.isArray(message.scope))
                        return "scope: array expected";
                    for (let i = 0; i < message.scope.length; ++i)
                        if (!$util.isString(message.scope[i]))
                            return "scope: string[] expected";
                }
                return null;
            };

            /**
             * Creates a ConnectorPolicy message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ConnectorPolicy} ConnectorPolicy
             */
            ConnectorPolicy.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ConnectorPolicy)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ConnectorPolicy: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ConnectorPolicy();
                if (object.enabled != null)
                    if (object.enabled)
                        message.enabled = $Boolean(object.enabled);
                if (object.intervalMs != null)
                    if (typeof object.intervalMs === "object" ? object.intervalMs.low || object.intervalMs.high : $Number(object.intervalMs) !== 0)
                        if ($util.Long)
                            message.intervalMs = $util.Long.fromValue(object.intervalMs, false);
                        else if (typeof object.intervalMs === "string")
                            message.intervalMs = $parseInt(object.intervalMs, 10);
                        else if (typeof object.intervalMs === "number")
                            message.intervalMs = object.intervalMs;
                        else if (typeof object.intervalMs === "object")
                            message.intervalMs = new $util.LongBits(object.intervalMs.low >>> 0, object.intervalMs.high >>> 0).toNumber();
                if (object.scope) {
                    if (!$Array.isArray(object.scope))
                        throw $TypeError(".firn.v1.ConnectorPolicy.scope: array expected");
                    message.scope = $Array(object.scope.length);
                    for (let i = 0; i < object.scope.length; ++i)
                        message.scope[i] = $String(object.scope[i]);
                }
                return message;
            };

            /**
             * Creates a plain object from a ConnectorPolicy message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {firn.v1.ConnectorPolicy} message ConnectorPolicy
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ConnectorPolicy.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.scope = [];
                if (options.defaults) {
                    object.enabled = false;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.intervalMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.intervalMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                }
                if (message.enabled != null && $Object.hasOwnProperty.call(message, "enabled"))
                    object.enabled = message.enabled;
                if (message.intervalMs != null && $Object.hasOwnProperty.call(message, "intervalMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.intervalMs = typeof message.intervalMs === "number" ? $BigInt(message.intervalMs) : $util.Long.fromBits(message.intervalMs.low >>> 0, message.intervalMs.high >>> 0, false).toBigInt();
                    else if (typeof message.intervalMs === "number")
                        object.intervalMs = options.longs === $String ? $String(message.intervalMs) : message.intervalMs;
                    else
                        object.intervalMs = options.longs === $String ? $util.Long.prototype.toString.call(message.intervalMs) : options.longs === $Number ? new $util.LongBits(message.intervalMs.low >>> 0, message.intervalMs.high >>> 0).toNumber() : message.intervalMs;
                if (message.scope && message.scope.length) {
                    object.scope = $Array(message.scope.length);
                    for (let j = 0; j < message.scope.length; ++j)
                        object.scope[j] = message.scope[j];
                }
                return object;
            };

            /**
             * Converts this ConnectorPolicy to JSON.
             * @function toJSON
             * @memberof firn.v1.ConnectorPolicy
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ConnectorPolicy.prototype.toJSON = function() {
                return ConnectorPolicy.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ConnectorPolicy
             * @function getTypeUrl
             * @memberof firn.v1.ConnectorPolicy
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ConnectorPolicy.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ConnectorPolicy";
            };

            return ConnectorPolicy;
        })();

        v1.Connector = (function() {

            /**
             * Properties of a Connector.
             * @typedef {Object} firn.v1.Connector.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Connector envelope
             * @property {string|null} [name] Connector name
             * @property {string|null} [description] Connector description
             * @property {Object.<string,string>|null} [properties] Connector properties
             * @property {Long|null} [createdAtMs] Connector createdAtMs
             * @property {firn.v1.EntityState|null} [state] Connector state
             * @property {Uint8Array|null} [nameRevision] Connector nameRevision
             * @property {firn.v1.ConnectorKind|null} [kind] Connector kind
             * @property {string|null} [uri] Connector uri
             * @property {Object.<string,string>|null} [options] Connector options
             * @property {firn.v1.ConnectorPolicy.$Properties|null} [policy] Connector policy
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Connector.
             * @memberof firn.v1
             * @interface IConnector
             * @augments firn.v1.Connector.$Properties
             * @deprecated Use firn.v1.Connector.$Properties instead.
             */

            /**
             * Shape of a Connector.
             * @typedef {firn.v1.Connector.$Properties} firn.v1.Connector.$Shape
             */

            /**
             * Constructs a new Connector.
             * @memberof firn.v1
             * @classdesc Represents a Connector.
             * @constructor
             * @param {firn.v1.Connector.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Connector = function (properties) {
                this.properties = {};
                this.options = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Connector envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.envelope = null;

            /**
             * Connector name.
             * @member {string} name
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.name = "";

            /**
             * Connector description.
             * @member {string} description
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.description = "";

            /**
             * Connector properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.properties = $util.emptyObject;

            /**
             * Connector createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Connector state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.state = 0;

            /**
             * Connector nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.nameRevision = $util.newBuffer([]);

            /**
             * Connector kind.
             * @member {firn.v1.ConnectorKind} kind
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.kind = 0;

            /**
             * Connector uri.
             * @member {string} uri
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.uri = "";

            /**
             * Connector options.
             * @member {Object.<string,string>} options
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.options = $util.emptyObject;

            /**
             * Connector policy.
             * @member {firn.v1.ConnectorPolicy.$Properties|null|undefined} policy
             * @memberof firn.v1.Connector
             * @instance
             */
            Connector.prototype.policy = null;

            /**
             * Creates a new Connector instance using the specified properties.
             * @function create
             * @memberof firn.v1.Connector
             * @static
             * @param {firn.v1.Connector.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Connector} Connector instance
             * @type {{
             *   (properties: firn.v1.Connector.$Shape): firn.v1.Connector & firn.v1.Connector.$Shape;
             *   (properties?: firn.v1.Connector.$Properties): firn.v1.Connector;
             * }}
             */
            Connector.create = function(properties) {
                return new Connector(properties);
            };

            /**
             * Encodes the specified Connector message. Does not implicitly {@link firn.v1.Connector.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Connector
             * @static
             * @param {firn.v1.Connector.$Properties} message Connector message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Connector.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).int32(message.kind);
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri") && message.uri !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.uri);
                if (message.options != null && $Object.hasOwnProperty.call(message, "options"))
                    for (let keys = $Object.keys(message.options), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 10, wireType 2 =*/82).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.options[keys[i]]).ldelim();
                if (message.policy != null && $Object.hasOwnProperty.call(message, "policy"))
                    $root.firn.v1.ConnectorPolicy.encode(message.policy, writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Connector message, length delimited. Does not implicitly {@link firn.v1.Connector.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Connector
             * @static
             * @param {firn.v1.Connector.$Properties} message Connector message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Connector.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Connector message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Connector
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Connector & firn.v1.Connector.$Shape} Connector
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Connector.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Connector();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.uri = value;
                            else
                                delete message.uri;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if (message.options === $util.emptyObject)
                                message.options = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.options, key);
                            message.options[key] = value;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.policy = $root.firn.v1.ConnectorPolicy.decode(reader, reader.size(), $undefined, _depth + 1, message.policy);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Connector message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Connector
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Connector & firn.v1.Connector.$Shape} Connector
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Connector.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Connector message.
             * @function verify
             * @memberof firn.v1.Connector
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Connector.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    if (typeof message.kind !== "number" || (message.kind | 0) !== message.kind)
                        return "kind: enum value expected";
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri"))
                    if (!$util.isString(message.uri))
                        return "uri: string expected";
                if (message.options != null && $Object.hasOwnProperty.call(message, "options")) {
                    if (!$util.isObject(message.options))
                        return "options: object expected";
                    let key = $Object.keys(message.options);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.options[key[i]]))
                            return "options: string{k:string} expected";
                }
                if (message.policy != null && $Object.hasOwnProperty.call(message, "policy")) {
                    let error = $root.firn.v1.ConnectorPolicy.verify(message.policy, _depth + 1);
                    if (error)
                        return "policy." + error;
                }
                return null;
            };

            /**
             * Creates a Connector message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Connector
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Connector} Connector
             */
            Connector.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Connector)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Connector: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Connector();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Connector.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.Connector.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object.kind !== 0 && (typeof object.kind !== "string" || $root.firn.v1.ConnectorKind[object.kind] !== 0))
                    switch (object.kind) {
                    case "CONNECTOR_KIND_UNSPECIFIED":
                    case 0:
                        message.kind = 0;
                        break;
                    case "CONNECTOR_KIND_ICEBERG_REST":
                    case 1:
                        message.kind = 1;
                        break;
                    case "CONNECTOR_KIND_GLUE":
                    case 2:
                        message.kind = 2;
                        break;
                    case "CONNECTOR_KIND_DELTA":
                    case 3:
                        message.kind = 3;
                        break;
                    case "CONNECTOR_KIND_UNITY":
                    case 4:
                        message.kind = 4;
                        break;
                    default:
                        if (typeof object.kind === "number" && (object.kind | 0) === object.kind)
                            message.kind = object.kind;
                    }
                if (object.uri != null)
                    if (typeof object.uri !== "string" || object.uri.length)
                        message.uri = $String(object.uri);
                if (object.options) {
                    if (!$util.isObject(object.options))
                        throw $TypeError(".firn.v1.Connector.options: object expected");
                    message.options = {};
                    for (let keys = $Object.keys(object.options), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.options, keys[i]);
                        message.options[keys[i]] = $String(object.options[keys[i]]);
                    }
                }
                if (object.policy != null) {
                    if (!$util.isObject(object.policy))
                        throw $TypeError(".firn.v1.Connector.policy: object expected");
                    message.policy = $root.firn.v1.ConnectorPolicy.fromObject(object.policy, _depth + 1);
                }
                return message;
            };

            /**
             * Creates a plain object from a Connector message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Connector
             * @static
             * @param {firn.v1.Connector} message Connector
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Connector.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.objects || options.defaults) {
                    object.properties = {};
                    object.options = {};
                }
                if (options.defaults) {
                    object.envelope = null;
                    object.name = "";
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    object.kind = options.enums === $String ? "CONNECTOR_KIND_UNSPECIFIED" : 0;
                    object.uri = "";
                    object.policy = null;
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    object.kind = options.enums === $String ? $root.firn.v1.ConnectorKind[message.kind] === $undefined ? message.kind : $root.firn.v1.ConnectorKind[message.kind] : message.kind;
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri"))
                    object.uri = message.uri;
                if (message.options && (keys2 = $Object.keys(message.options)).length) {
                    object.options = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.options, keys2[j]);
                        object.options[keys2[j]] = message.options[keys2[j]];
                    }
                }
                if (message.policy != null && $Object.hasOwnProperty.call(message, "policy"))
                    object.policy = $root.firn.v1.ConnectorPolicy.toObject(message.policy, options, _depth + 1);
                return object;
            };

            /**
             * Converts this Connector to JSON.
             * @function toJSON
             * @memberof firn.v1.Connector
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Connector.prototype.toJSON = function() {
                return Connector.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Connector
             * @function getTypeUrl
             * @memberof firn.v1.Connector
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Connector.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Connector";
            };

            return Connector;
        })();

        /**
         * ConstraintKind enum.
         * @name firn.v1.ConstraintKind
         * @enum {number}
         * @property {number} CONSTRAINT_KIND_UNSPECIFIED=0 CONSTRAINT_KIND_UNSPECIFIED value
         * @property {number} CONSTRAINT_KIND_PRIMARY_KEY=1 CONSTRAINT_KIND_PRIMARY_KEY value
         * @property {number} CONSTRAINT_KIND_FOREIGN_KEY=2 CONSTRAINT_KIND_FOREIGN_KEY value
         * @property {number} CONSTRAINT_KIND_UNIQUE=3 CONSTRAINT_KIND_UNIQUE value
         * @property {number} CONSTRAINT_KIND_CHECK=4 CONSTRAINT_KIND_CHECK value
         * @property {number} CONSTRAINT_KIND_NOT_NULL=5 CONSTRAINT_KIND_NOT_NULL value
         */
        v1.ConstraintKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "CONSTRAINT_KIND_UNSPECIFIED"] = 0;
            values[valuesById[1] = "CONSTRAINT_KIND_PRIMARY_KEY"] = 1;
            values[valuesById[2] = "CONSTRAINT_KIND_FOREIGN_KEY"] = 2;
            values[valuesById[3] = "CONSTRAINT_KIND_UNIQUE"] = 3;
            values[valuesById[4] = "CONSTRAINT_KIND_CHECK"] = 4;
            values[valuesById[5] = "CONSTRAINT_KIND_NOT_NULL"] = 5;
            return values;
        })();

        v1.ConstraintColumn = (function() {

            /**
             * Properties of a ConstraintColumn.
             * @typedef {Object} firn.v1.ConstraintColumn.$Properties
             * @property {number|null} [id] ConstraintColumn id
             * @property {string|null} [name] ConstraintColumn name
             * @property {number|null} [ordinal] ConstraintColumn ordinal
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ConstraintColumn.
             * @memberof firn.v1
             * @interface IConstraintColumn
             * @augments firn.v1.ConstraintColumn.$Properties
             * @deprecated Use firn.v1.ConstraintColumn.$Properties instead.
             */

            /**
             * Shape of a ConstraintColumn.
             * @typedef {firn.v1.ConstraintColumn.$Properties} firn.v1.ConstraintColumn.$Shape
             */

            /**
             * Constructs a new ConstraintColumn.
             * @memberof firn.v1
             * @classdesc Represents a ConstraintColumn.
             * @constructor
             * @param {firn.v1.ConstraintColumn.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ConstraintColumn = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ConstraintColumn id.
             * @member {number} id
             * @memberof firn.v1.ConstraintColumn
             * @instance
             */
            ConstraintColumn.prototype.id = 0;

            /**
             * ConstraintColumn name.
             * @member {string} name
             * @memberof firn.v1.ConstraintColumn
             * @instance
             */
            ConstraintColumn.prototype.name = "";

            /**
             * ConstraintColumn ordinal.
             * @member {number} ordinal
             * @memberof firn.v1.ConstraintColumn
             * @instance
             */
            ConstraintColumn.prototype.ordinal = 0;

            /**
             * Creates a new ConstraintColumn instance using the specified properties.
             * @function create
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {firn.v1.ConstraintColumn.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ConstraintColumn} ConstraintColumn instance
             * @type {{
             *   (properties: firn.v1.ConstraintColumn.$Shape): firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape;
             *   (properties?: firn.v1.ConstraintColumn.$Properties): firn.v1.ConstraintColumn;
             * }}
             */
            ConstraintColumn.create = function(properties) {
                return new ConstraintColumn(properties);
            };

            /**
             * Encodes the specified ConstraintColumn message. Does not implicitly {@link firn.v1.ConstraintColumn.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {firn.v1.ConstraintColumn.$Properties} message ConstraintColumn message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ConstraintColumn.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.id);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.ordinal != null && $Object.hasOwnProperty.call(message, "ordinal") && message.ordinal !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.ordinal);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ConstraintColumn message, length delimited. Does not implicitly {@link firn.v1.ConstraintColumn.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {firn.v1.ConstraintColumn.$Properties} message ConstraintColumn message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ConstraintColumn.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ConstraintColumn message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape} ConstraintColumn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ConstraintColumn.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ConstraintColumn();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.ordinal = value;
                            else
                                delete message.ordinal;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ConstraintColumn message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ConstraintColumn & firn.v1.ConstraintColumn.$Shape} ConstraintColumn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ConstraintColumn.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ConstraintColumn message.
             * @function verify
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ConstraintColumn.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.id != null && $Object.hasOwnProperty.call(message, "id"))
                    if (!$util.isInteger(message.id))
                        return "id: integer expected";
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.ordinal != null && $Object.hasOwnProperty.call(message, "ordinal"))
                    if (!$util.isInteger(message.ordinal))
                        return "ordinal: integer expected";
                return null;
            };

            /**
             * Creates a ConstraintColumn message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ConstraintColumn} ConstraintColumn
             */
            ConstraintColumn.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ConstraintColumn)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ConstraintColumn: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ConstraintColumn();
                if (object.id != null)
                    if ($Number(object.id) !== 0)
                        message.id = object.id | 0;
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.ordinal != null)
                    if ($Number(object.ordinal) !== 0)
                        message.ordinal = object.ordinal | 0;
                return message;
            };

            /**
             * Creates a plain object from a ConstraintColumn message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {firn.v1.ConstraintColumn} message ConstraintColumn
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ConstraintColumn.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.id = 0;
                    object.name = "";
                    object.ordinal = 0;
                }
                if (message.id != null && $Object.hasOwnProperty.call(message, "id"))
                    object.id = message.id;
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.ordinal != null && $Object.hasOwnProperty.call(message, "ordinal"))
                    object.ordinal = message.ordinal;
                return object;
            };

            /**
             * Converts this ConstraintColumn to JSON.
             * @function toJSON
             * @memberof firn.v1.ConstraintColumn
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ConstraintColumn.prototype.toJSON = function() {
                return ConstraintColumn.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ConstraintColumn
             * @function getTypeUrl
             * @memberof firn.v1.ConstraintColumn
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ConstraintColumn.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ConstraintColumn";
            };

            return ConstraintColumn;
        })();

        v1.Reference = (function() {

            /**
             * Properties of a Reference.
             * @typedef {Object} firn.v1.Reference.$Properties
             * @property {string|null} [table] Reference table
             * @property {Array.<firn.v1.ConstraintColumn.$Properties>|null} [columns] Reference columns
             * @property {string|null} [match] Reference match
             * @property {string|null} [onUpdate] Reference onUpdate
             * @property {string|null} [onDelete] Reference onDelete
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Reference.
             * @memberof firn.v1
             * @interface IReference
             * @augments firn.v1.Reference.$Properties
             * @deprecated Use firn.v1.Reference.$Properties instead.
             */

            /**
             * Shape of a Reference.
             * @typedef {firn.v1.Reference.$Properties} firn.v1.Reference.$Shape
             */

            /**
             * Constructs a new Reference.
             * @memberof firn.v1
             * @classdesc Represents a Reference.
             * @constructor
             * @param {firn.v1.Reference.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Reference = function (properties) {
                this.columns = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Reference table.
             * @member {string} table
             * @memberof firn.v1.Reference
             * @instance
             */
            Reference.prototype.table = "";

            /**
             * Reference columns.
             * @member {Array.<firn.v1.ConstraintColumn.$Properties>} columns
             * @memberof firn.v1.Reference
             * @instance
             */
            Reference.prototype.columns = $util.emptyArray;

            /**
             * Reference match.
             * @member {string} match
             * @memberof firn.v1.Reference
             * @instance
             */
            Reference.prototype.match = "";

            /**
             * Reference onUpdate.
             * @member {string} onUpdate
             * @memberof firn.v1.Reference
             * @instance
             */
            Reference.prototype.onUpdate = "";

            /**
             * Reference onDelete.
             * @member {string} onDelete
             * @memberof firn.v1.Reference
             * @instance
             */
            Reference.prototype.onDelete = "";

            /**
             * Creates a new Reference instance using the specified properties.
             * @function create
             * @memberof firn.v1.Reference
             * @static
             * @param {firn.v1.Reference.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Reference} Reference instance
             * @type {{
             *   (properties: firn.v1.Reference.$Shape): firn.v1.Reference & firn.v1.Reference.$Shape;
             *   (properties?: firn.v1.Reference.$Properties): firn.v1.Reference;
             * }}
             */
            Reference.create = function(properties) {
                return new Reference(properties);
            };

            /**
             * Encodes the specified Reference message. Does not implicitly {@link firn.v1.Reference.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Reference
             * @static
             * @param {firn.v1.Reference.$Properties} message Reference message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Reference.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.table != null && $Object.hasOwnProperty.call(message, "table") && message.table !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.table);
                if (message.columns != null && message.columns.length)
                    for (let i = 0; i < message.columns.length; ++i)
                        $root.firn.v1.ConstraintColumn.encode(message.columns[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.match != null && $Object.hasOwnProperty.call(message, "match") && message.match !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.match);
                if (message.onUpdate != null && $Object.hasOwnProperty.call(message, "onUpdate") && message.onUpdate !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.onUpdate);
                if (message.onDelete != null && $Object.hasOwnProperty.call(message, "onDelete") && message.onDelete !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.onDelete);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Reference message, length delimited. Does not implicitly {@link firn.v1.Reference.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Reference
             * @static
             * @param {firn.v1.Reference.$Properties} message Reference message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Reference.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Reference message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Reference
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Reference & firn.v1.Reference.$Shape} Reference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Reference.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Reference();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.table = value;
                            else
                                delete message.table;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.columns && message.columns.length))
                                message.columns = [];
                            message.columns.push($root.firn.v1.ConstraintColumn.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.match = value;
                            else
                                delete message.match;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.onUpdate = value;
                            else
                                delete message.onUpdate;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.onDelete = value;
                            else
                                delete message.onDelete;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Reference message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Reference
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Reference & firn.v1.Reference.$Shape} Reference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Reference.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Reference message.
             * @function verify
             * @memberof firn.v1.Reference
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Reference.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.table != null && $Object.hasOwnProperty.call(message, "table"))
                    if (!$util.isString(message.table))
                        return "table: string expected";
                if (message.columns != null && $Object.hasOwnProperty.call(message, "columns")) {
                    if (!$Array.isArray(message.columns))
                        return "columns: array expected";
                    for (let i = 0; i < message.columns.length; ++i) {
                        let error = $root.firn.v1.ConstraintColumn.verify(message.columns[i], _depth + 1);
                        if (error)
                            return "columns." + error;
                    }
                }
                if (message.match != null && $Object.hasOwnProperty.call(message, "match"))
                    if (!$util.isString(message.match))
                        return "match: string expected";
                if (message.onUpdate != null && $Object.hasOwnProperty.call(message, "onUpdate"))
                    if (!$util.isString(message.onUpdate))
                        return "onUpdate: string expected";
                if (message.onDelete != null && $Object.hasOwnProperty.call(message, "onDelete"))
                    if (!$util.isString(message.onDelete))
                        return "onDelete: string expected";
                return null;
            };

            /**
             * Creates a Reference message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Reference
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Reference} Reference
             */
            Reference.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Reference)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Reference: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Reference();
                if (object.table != null)
                    if (typeof object.table !== "string" || object.table.length)
                        message.table = $String(object.table);
                if (object.columns) {
                    if (!$Array.isArray(object.columns))
                        throw $TypeError(".firn.v1.Reference.columns: array expected");
                    message.columns = $Array(object.columns.length);
                    for (let i = 0; i < object.columns.length; ++i) {
                        if (!$util.isObject(object.columns[i]))
                            throw $TypeError(".firn.v1.Reference.columns: object expected");
                        message.columns[i] = $root.firn.v1.ConstraintColumn.fromObject(object.columns[i], _depth + 1);
                    }
                }
                if (object.match != null)
                    if (typeof object.match !== "string" || object.match.length)
                        message.match = $String(object.match);
                if (object.onUpdate != null)
                    if (typeof object.onUpdate !== "string" || object.onUpdate.length)
                        message.onUpdate = $String(object.onUpdate);
                if (object.onDelete != null)
                    if (typeof object.onDelete !== "string" || object.onDelete.length)
                        message.onDelete = $String(object.onDelete);
                return message;
            };

            /**
             * Creates a plain object from a Reference message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Reference
             * @static
             * @param {firn.v1.Reference} message Reference
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Reference.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.columns = [];
                if (options.defaults) {
                    object.table = "";
                    object.match = "";
                    object.onUpdate = "";
                    object.onDelete = "";
                }
                if (message.table != null && $Object.hasOwnProperty.call(message, "table"))
                    object.table = message.table;
                if (message.columns && message.columns.length) {
                    object.columns = $Array(message.columns.length);
                    for (let j = 0; j < message.columns.length; ++j)
                        object.columns[j] = $root.firn.v1.ConstraintColumn.toObject(message.columns[j], options, _depth + 1);
                }
                if (message.match != null && $Object.hasOwnProperty.call(message, "match"))
                    object.match = message.match;
                if (message.onUpdate != null && $Object.hasOwnProperty.call(message, "onUpdate"))
                    object.onUpdate = message.onUpdate;
                if (message.onDelete != null && $Object.hasOwnProperty.call(message, "onDelete"))
                    object.onDelete = message.onDelete;
                return object;
            };

            /**
             * Converts this Reference to JSON.
             * @function toJSON
             * @memberof firn.v1.Reference
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Reference.prototype.toJSON = function() {
                return Reference.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Reference
             * @function getTypeUrl
             * @memberof firn.v1.Reference
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Reference.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Reference";
            };

            return Reference;
        })();

        v1.Constraint = (function() {

            /**
             * Properties of a Constraint.
             * @typedef {Object} firn.v1.Constraint.$Properties
             * @property {string|null} [name] Constraint name
             * @property {firn.v1.ConstraintKind|null} [kind] Constraint kind
             * @property {Array.<firn.v1.ConstraintColumn.$Properties>|null} [columns] Constraint columns
             * @property {string|null} [expression] Constraint expression
             * @property {firn.v1.Reference.$Properties|null} [reference] Constraint reference
             * @property {boolean|null} [enforced] Constraint enforced
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Constraint.
             * @memberof firn.v1
             * @interface IConstraint
             * @augments firn.v1.Constraint.$Properties
             * @deprecated Use firn.v1.Constraint.$Properties instead.
             */

            /**
             * Shape of a Constraint.
             * @typedef {firn.v1.Constraint.$Properties} firn.v1.Constraint.$Shape
             */

            /**
             * Constructs a new Constraint.
             * @memberof firn.v1
             * @classdesc Represents a Constraint.
             * @constructor
             * @param {firn.v1.Constraint.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Constraint = function (properties) {
                this.columns = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Constraint name.
             * @member {string} name
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.name = "";

            /**
             * Constraint kind.
             * @member {firn.v1.ConstraintKind} kind
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.kind = 0;

            /**
             * Constraint columns.
             * @member {Array.<firn.v1.ConstraintColumn.$Properties>} columns
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.columns = $util.emptyArray;

            /**
             * Constraint expression.
             * @member {string} expression
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.expression = "";

            /**
             * Constraint reference.
             * @member {firn.v1.Reference.$Properties|null|undefined} reference
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.reference = null;

            /**
             * Constraint enforced.
             * @member {boolean} enforced
             * @memberof firn.v1.Constraint
             * @instance
             */
            Constraint.prototype.enforced = false;

            /**
             * Creates a new Constraint instance using the specified properties.
             * @function create
             * @memberof firn.v1.Constraint
             * @static
             * @param {firn.v1.Constraint.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Constraint} Constraint instance
             * @type {{
             *   (properties: firn.v1.Constraint.$Shape): firn.v1.Constraint & firn.v1.Constraint.$Shape;
             *   (properties?: firn.v1.Constraint.$Properties): firn.v1.Constraint;
             * }}
             */
            Constraint.create = function(properties) {
                return new Constraint(properties);
            };

            /**
             * Encodes the specified Constraint message. Does not implicitly {@link firn.v1.Constraint.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Constraint
             * @static
             * @param {firn.v1.Constraint.$Properties} message Constraint message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Constraint.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.kind);
                if (message.columns != null && message.columns.length)
                    for (let i = 0; i < message.columns.length; ++i)
                        $root.firn.v1.ConstraintColumn.encode(message.columns[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression") && message.expression !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.expression);
                if (message.reference != null && $Object.hasOwnProperty.call(message, "reference"))
                    $root.firn.v1.Reference.encode(message.reference, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.enforced != null && $Object.hasOwnProperty.call(message, "enforced") && message.enforced !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.enforced);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Constraint message, length delimited. Does not implicitly {@link firn.v1.Constraint.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Constraint
             * @static
             * @param {firn.v1.Constraint.$Properties} message Constraint message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Constraint.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Constraint message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Constraint
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Constraint & firn.v1.Constraint.$Shape} Constraint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Constraint.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Constraint();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.columns && message.columns.length))
                                message.columns = [];
                            message.columns.push($root.firn.v1.ConstraintColumn.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.expression = value;
                            else
                                delete message.expression;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.reference = $root.firn.v1.Reference.decode(reader, reader.size(), $undefined, _depth + 1, message.reference);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.enforced = value;
                            else
                                delete message.enforced;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Constraint message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Constraint
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Constraint & firn.v1.Constraint.$Shape} Constraint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Constraint.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Constraint message.
             * @function verify
             * @memberof firn.v1.Constraint
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Constraint.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    if (typeof message.kind !== "number" || (message.kind | 0) !== message.kind)
                        return "kind: enum value expected";
                if (message.columns != null && $Object.hasOwnProperty.call(message, "columns")) {
                    if (!$Array.isArray(message.columns))
                        return "columns: array expected";
                    for (let i = 0; i < message.columns.length; ++i) {
                        let error = $root.firn.v1.ConstraintColumn.verify(message.columns[i], _depth + 1);
                        if (error)
                            return "columns." + error;
                    }
                }
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression"))
                    if (!$util.isString(message.expression))
                        return "expression: string expected";
                if (message.reference != null && $Object.hasOwnProperty.call(message, "reference")) {
                    let error = $root.firn.v1.Reference.verify(message.reference, _depth + 1);
                    if (error)
                        return "reference." + error;
                }
                if (message.enforced != null && $Object.hasOwnProperty.call(message, "enforced"))
                    if (typeof message.enforced !== "boolean")
                        return "enforced: boolean expected";
                return null;
            };

            /**
             * Creates a Constraint message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Constraint
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Constraint} Constraint
             */
            Constraint.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Constraint)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Constraint: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Constraint();
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.kind !== 0 && (typeof object.kind !== "string" || $root.firn.v1.ConstraintKind[object.kind] !== 0))
                    switch (object.kind) {
                    case "CONSTRAINT_KIND_UNSPECIFIED":
                    case 0:
                        message.kind = 0;
                        break;
                    case "CONSTRAINT_KIND_PRIMARY_KEY":
                    case 1:
                        message.kind = 1;
                        break;
                    case "CONSTRAINT_KIND_FOREIGN_KEY":
                    case 2:
                        message.kind = 2;
                        break;
                    case "CONSTRAINT_KIND_UNIQUE":
                    case 3:
                        message.kind = 3;
                        break;
                    case "CONSTRAINT_KIND_CHECK":
                    case 4:
                        message.kind = 4;
                        break;
                    case "CONSTRAINT_KIND_NOT_NULL":
                    case 5:
                        message.kind = 5;
                        break;
                    default:
                        if (typeof object.kind === "number" && (object.kind | 0) === object.kind)
                            message.kind = object.kind;
                    }
                if (object.columns) {
                    if (!$Array.isArray(object.columns))
                        throw $TypeError(".firn.v1.Constraint.columns: array expected");
                    message.columns = $Array(object.columns.length);
                    for (let i = 0; i < object.columns.length; ++i) {
                        if (!$util.isObject(object.columns[i]))
                            throw $TypeError(".firn.v1.Constraint.columns: object expected");
                        message.columns[i] = $root.firn.v1.ConstraintColumn.fromObject(object.columns[i], _depth + 1);
                    }
                }
                if (object.expression != null)
                    if (typeof object.expression !== "string" || object.expression.length)
                        message.expression = $String(object.expression);
                if (object.reference != null) {
                    if (!$util.isObject(object.reference))
                        throw $TypeError(".firn.v1.Constraint.reference: object expected");
                    message.reference = $root.firn.v1.Reference.fromObject(object.reference, _depth + 1);
                }
                if (object.enforced != null)
                    if (object.enforced)
                        message.enforced = $Boolean(object.enforced);
                return message;
            };

            /**
             * Creates a plain object from a Constraint message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Constraint
             * @static
             * @param {firn.v1.Constraint} message Constraint
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Constraint.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.columns = [];
                if (options.defaults) {
                    object.name = "";
                    object.kind = options.enums === $String ? "CONSTRAINT_KIND_UNSPECIFIED" : 0;
                    object.expression = "";
                    object.reference = null;
                    object.enforced = false;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    object.kind = options.enums === $String ? $root.firn.v1.ConstraintKind[message.kind] === $undefined ? message.kind : $root.firn.v1.ConstraintKind[message.kind] : message.kind;
                if (message.columns && message.columns.length) {
                    object.columns = $Array(message.columns.length);
                    for (let j = 0; j < message.columns.length; ++j)
                        object.columns[j] = $root.firn.v1.ConstraintColumn.toObject(message.columns[j], options, _depth + 1);
                }
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression"))
                    object.expression = message.expression;
                if (message.reference != null && $Object.hasOwnProperty.call(message, "reference"))
                    object.reference = $root.firn.v1.Reference.toObject(message.reference, options, _depth + 1);
                if (message.enforced != null && $Object.hasOwnProperty.call(message, "enforced"))
                    object.enforced = message.enforced;
                return object;
            };

            /**
             * Converts this Constraint to JSON.
             * @function toJSON
             * @memberof firn.v1.Constraint
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Constraint.prototype.toJSON = function() {
                return Constraint.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Constraint
             * @function getTypeUrl
             * @memberof firn.v1.Constraint
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Constraint.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Constraint";
            };

            return Constraint;
        })();

        v1.SnapshotConstraints = (function() {

            /**
             * Properties of a SnapshotConstraints.
             * @typedef {Object} firn.v1.SnapshotConstraints.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] SnapshotConstraints envelope
             * @property {Long|null} [snapshotId] SnapshotConstraints snapshotId
             * @property {Array.<firn.v1.Constraint.$Properties>|null} [constraints] SnapshotConstraints constraints
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SnapshotConstraints.
             * @memberof firn.v1
             * @interface ISnapshotConstraints
             * @augments firn.v1.SnapshotConstraints.$Properties
             * @deprecated Use firn.v1.SnapshotConstraints.$Properties instead.
             */

            /**
             * Shape of a SnapshotConstraints.
             * @typedef {firn.v1.SnapshotConstraints.$Properties} firn.v1.SnapshotConstraints.$Shape
             */

            /**
             * Constructs a new SnapshotConstraints.
             * @memberof firn.v1
             * @classdesc Represents a SnapshotConstraints.
             * @constructor
             * @param {firn.v1.SnapshotConstraints.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SnapshotConstraints = function (properties) {
                this.constraints = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SnapshotConstraints envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.SnapshotConstraints
             * @instance
             */
            SnapshotConstraints.prototype.envelope = null;

            /**
             * SnapshotConstraints snapshotId.
             * @member {Long} snapshotId
             * @memberof firn.v1.SnapshotConstraints
             * @instance
             */
            SnapshotConstraints.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * SnapshotConstraints constraints.
             * @member {Array.<firn.v1.Constraint.$Properties>} constraints
             * @memberof firn.v1.SnapshotConstraints
             * @instance
             */
            SnapshotConstraints.prototype.constraints = $util.emptyArray;

            /**
             * Creates a new SnapshotConstraints instance using the specified properties.
             * @function create
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {firn.v1.SnapshotConstraints.$Properties=} [properties] Properties to set
             * @returns {firn.v1.SnapshotConstraints} SnapshotConstraints instance
             * @type {{
             *   (properties: firn.v1.SnapshotConstraints.$Shape): firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape;
             *   (properties?: firn.v1.SnapshotConstraints.$Properties): firn.v1.SnapshotConstraints;
             * }}
             */
            SnapshotConstraints.create = function(properties) {
                return new SnapshotConstraints(properties);
            };

            /**
             * Encodes the specified SnapshotConstraints message. Does not implicitly {@link firn.v1.SnapshotConstraints.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {firn.v1.SnapshotConstraints.$Properties} message SnapshotConstraints message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotConstraints.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.snapshotId);
                if (message.constraints != null && message.constraints.length)
                    for (let i = 0; i < message.constraints.length; ++i)
                        $root.firn.v1.Constraint.encode(message.constraints[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified SnapshotConstraints message, length delimited. Does not implicitly {@link firn.v1.SnapshotConstraints.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {firn.v1.SnapshotConstraints.$Properties} message SnapshotConstraints message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotConstraints.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a SnapshotConstraints message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape} SnapshotConstraints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotConstraints.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.SnapshotConstraints();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.constraints && message.constraints.length))
                                message.constraints = [];
                            message.constraints.push($root.firn.v1.Constraint.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a SnapshotConstraints message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.SnapshotConstraints & firn.v1.SnapshotConstraints.$Shape} SnapshotConstraints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotConstraints.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a SnapshotConstraints message.
             * @function verify
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            SnapshotConstraints.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (!$util.isInteger(message.snapshotId) && !(message.snapshotId && $util.isInteger(message.snapshotId.low) && $util.isInteger(message.snapshotId.high)))
                        return "snapshotId: integer|Long expected";
                if (message.constraints != null && $Object.hasOwnProperty.call(message, "constraints")) {
                    if (!$Array.isArray(message.constraints))
                        return "constraints: array expected";
                    for (let i = 0; i < message.constraints.length; ++i) {
                        let error = $root.firn.v1.Constraint.verify(message.constraints[i], _depth + 1);
                        if (error)
                            return "constraints." + error;
                    }
                }
                return null;
            };

            /**
             * Creates a SnapshotConstraints message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.SnapshotConstraints} SnapshotConstraints
             */
            SnapshotConstraints.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.SnapshotConstraints)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.SnapshotConstraints: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.SnapshotConstraints();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.SnapshotConstraints.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.snapshotId != null)
                    if (typeof object.snapshotId === "object" ? object.snapshotId.low || object.snapshotId.high : $Number(object.snapshotId) !== 0)
                        if ($util.Long)
                            message.snapshotId = $util.Long.fromValue(object.snapshotId, false);
                        else if (typeof object.snapshotId === "string")
                            message.snapshotId = $parseInt(object.snapshotId, 10);
                        else if (typeof object.snapshotId === "number")
                            message.snapshotId = object.snapshotId;
                        else if (typeof object.snapshotId === "object")
                            message.snapshotId = new $util.LongBits(object.snapshotId.low >>> 0, object.snapshotId.high >>> 0).toNumber();
                if (object.constraints) {
                    if (!$Array.isArray(object.constraints))
                        throw $TypeError(".firn.v1.SnapshotConstraints.constraints: array expected");
                    message.constraints = $Array(object.constraints.length);
                    for (let i = 0; i < object.constraints.length; ++i) {
                        if (!$util.isObject(object.constraints[i]))
                            throw $TypeError(".firn.v1.SnapshotConstraints.constraints: object expected");
                        message.constraints[i] = $root.firn.v1.Constraint.fromObject(object.constraints[i], _depth + 1);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a SnapshotConstraints message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {firn.v1.SnapshotConstraints} message SnapshotConstraints
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            SnapshotConstraints.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.constraints = [];
                if (options.defaults) {
                    object.envelope = null;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.snapshotId = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.snapshotId = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.snapshotId = typeof message.snapshotId === "number" ? $BigInt(message.snapshotId) : $util.Long.fromBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.snapshotId === "number")
                        object.snapshotId = options.longs === $String ? $String(message.snapshotId) : message.snapshotId;
                    else
                        object.snapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.snapshotId) : options.longs === $Number ? new $util.LongBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0).toNumber() : message.snapshotId;
                if (message.constraints && message.constraints.length) {
                    object.constraints = $Array(message.constraints.length);
                    for (let j = 0; j < message.constraints.length; ++j)
                        object.constraints[j] = $root.firn.v1.Constraint.toObject(message.constraints[j], options, _depth + 1);
                }
                return object;
            };

            /**
             * Converts this SnapshotConstraints to JSON.
             * @function toJSON
             * @memberof firn.v1.SnapshotConstraints
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            SnapshotConstraints.prototype.toJSON = function() {
                return SnapshotConstraints.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for SnapshotConstraints
             * @function getTypeUrl
             * @memberof firn.v1.SnapshotConstraints
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SnapshotConstraints.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.SnapshotConstraints";
            };

            return SnapshotConstraints;
        })();

        v1.Namespace = (function() {

            /**
             * Properties of a Namespace.
             * @typedef {Object} firn.v1.Namespace.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Namespace envelope
             * @property {Array.<string>|null} [path] Namespace path
             * @property {string|null} [description] Namespace description
             * @property {Object.<string,string>|null} [properties] Namespace properties
             * @property {Long|null} [createdAtMs] Namespace createdAtMs
             * @property {firn.v1.EntityState|null} [state] Namespace state
             * @property {Uint8Array|null} [nameRevision] Namespace nameRevision
             * @property {number|null} [guardGeneration] Namespace guardGeneration
             * @property {boolean|null} ["protected"] Namespace protected
             * @property {Long|null} [purgeAfterMs] Namespace purgeAfterMs
             * @property {Uint8Array|null} [catalogId] Namespace catalogId
             * @property {Uint8Array|null} [parentId] Namespace parentId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Namespace.
             * @memberof firn.v1
             * @interface INamespace
             * @augments firn.v1.Namespace.$Properties
             * @deprecated Use firn.v1.Namespace.$Properties instead.
             */

            /**
             * Shape of a Namespace.
             * @typedef {firn.v1.Namespace.$Properties} firn.v1.Namespace.$Shape
             */

            /**
             * Constructs a new Namespace.
             * @memberof firn.v1
             * @classdesc Represents a Namespace.
             * @constructor
             * @param {firn.v1.Namespace.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Namespace = function (properties) {
                this.path = [];
                this.properties = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Namespace envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.envelope = null;

            /**
             * Namespace path.
             * @member {Array.<string>} path
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.path = $util.emptyArray;

            /**
             * Namespace description.
             * @member {string} description
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.description = "";

            /**
             * Namespace properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.properties = $util.emptyObject;

            /**
             * Namespace createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Namespace state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.state = 0;

            /**
             * Namespace nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.nameRevision = $util.newBuffer([]);

            /**
             * Namespace guardGeneration.
             * @member {number} guardGeneration
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.guardGeneration = 0;

            /**
             * Namespace protected.
             * @member {boolean} protected
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype["protected"] = false;

            /**
             * Namespace purgeAfterMs.
             * @member {Long} purgeAfterMs
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.purgeAfterMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Namespace catalogId.
             * @member {Uint8Array} catalogId
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.catalogId = $util.newBuffer([]);

            /**
             * Namespace parentId.
             * @member {Uint8Array} parentId
             * @memberof firn.v1.Namespace
             * @instance
             */
            Namespace.prototype.parentId = $util.newBuffer([]);

            /**
             * Creates a new Namespace instance using the specified properties.
             * @function create
             * @memberof firn.v1.Namespace
             * @static
             * @param {firn.v1.Namespace.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Namespace} Namespace instance
             * @type {{
             *   (properties: firn.v1.Namespace.$Shape): firn.v1.Namespace & firn.v1.Namespace.$Shape;
             *   (properties?: firn.v1.Namespace.$Properties): firn.v1.Namespace;
             * }}
             */
            Namespace.create = function(properties) {
                return new Namespace(properties);
            };

            /**
             * Encodes the specified Namespace message. Does not implicitly {@link firn.v1.Namespace.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Namespace
             * @static
             * @param {firn.v1.Namespace.$Properties} message Namespace message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Namespace.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.path != null && message.path.length)
                    for (let i = 0; i < message.path.length; ++i)
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.path[i]);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration") && message.guardGeneration !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.guardGeneration);
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected") && message["protected"] !== false)
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message["protected"]);
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs") && (typeof message.purgeAfterMs === "object" ? message.purgeAfterMs.low || message.purgeAfterMs.high : message.purgeAfterMs !== 0))
                    writer.uint32(/* id 10, wireType 0 =*/80).int64(message.purgeAfterMs);
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId") && message.catalogId.length)
                    writer.uint32(/* id 11, wireType 2 =*/90).bytes(message.catalogId);
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId") && message.parentId.length)
                    writer.uint32(/* id 12, wireType 2 =*/98).bytes(message.parentId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Namespace message, length delimited. Does not implicitly {@link firn.v1.Namespace.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Namespace
             * @static
             * @param {firn.v1.Namespace.$Properties} message Namespace message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Namespace.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Namespace message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Namespace
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Namespace & firn.v1.Namespace.$Shape} Namespace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Namespace.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Namespace();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.path && message.path.length))
                                message.path = [];
                            message.path.push(reader.stringVerify());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.guardGeneration = value;
                            else
                                delete message.guardGeneration;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message["protected"] = value;
                            else
                                delete message["protected"];
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.purgeAfterMs = value;
                            else
                                delete message.purgeAfterMs;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.catalogId = value;
                            else
                                delete message.catalogId;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.parentId = value;
                            else
                                delete message.parentId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Namespace message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Namespace
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Namespace & firn.v1.Namespace.$Shape} Namespace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Namespace.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Namespace message.
             * @function verify
             * @memberof firn.v1.Namespace
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Namespace.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.path != null && $Object.hasOwnProperty.call(message, "path")) {
                    if (!$Array.isArray(message.path))
                        return "path: array expected";
                    for (let i = 0; i < message.path.length; ++i)
                        if (!$util.isString(message.path[i]))
                            return "path: string[] expected";
                }
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    if (!$util.isInteger(message.guardGeneration))
                        return "guardGeneration: integer expected";
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    if (typeof message["protected"] !== "boolean")
                        return "protected: boolean expected";
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (!$util.isInteger(message.purgeAfterMs) && !(message.purgeAfterMs && $util.isInteger(message.purgeAfterMs.low) && $util.isInteger(message.purgeAfterMs.high)))
                        return "purgeAfterMs: integer|Long expected";
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    if (!(message.catalogId && typeof message.catalogId.length === "number" || $util.isString(message.catalogId)))
                        return "catalogId: buffer expected";
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId"))
                    if (!(message.parentId && typeof message.parentId.length === "number" || $util.isString(message.parentId)))
                        return "parentId: buffer expected";
                return null;
            };

            /**
             * Creates a Namespace message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Namespace
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Namespace} Namespace
             */
            Namespace.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Namespace)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Namespace: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Namespace();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Namespace.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.path) {
                    if (!$Array.isArray(object.path))
                        throw $TypeError(".firn.v1.Namespace.path: array expected");
                    message.path = $Array(object.path.length);
                    for (let i = 0; i < object.path.length; ++i)
                        message.path[i] = $String(object.path[i]);
                }
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.Namespace.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object.guardGeneration != null)
                    if ($Number(object.guardGeneration) !== 0)
                        message.guardGeneration = object.guardGeneration >>> 0;
                if (object["protected"] != null)
                    if (object["protected"])
                        message["protected"] = $Boolean(object["protected"]);
                if (object.purgeAfterMs != null)
                    if (typeof object.purgeAfterMs === "object" ? object.purgeAfterMs.low || object.purgeAfterMs.high : $Number(object.purgeAfterMs) !== 0)
                        if ($util.Long)
                            message.purgeAfterMs = $util.Long.fromValue(object.purgeAfterMs, false);
                        else if (typeof object.purgeAfterMs === "string")
                            message.purgeAfterMs = $parseInt(object.purgeAfterMs, 10);
                        else if (typeof object.purgeAfterMs === "number")
                            message.purgeAfterMs = object.purgeAfterMs;
                        else if (typeof object.purgeAfterMs === "object")
                            message.purgeAfterMs = new $util.LongBits(object.purgeAfterMs.low >>> 0, object.purgeAfterMs.high >>> 0).toNumber();
                if (object.catalogId != null)
                    if (object.catalogId.length)
                        if (typeof object.catalogId === "string")
                            $util.base64.decode(object.catalogId, message.catalogId = $util.newBuffer($util.base64.length(object.catalogId)), 0);
                        else if (object.catalogId.length >= 0)
                            message.catalogId = object.catalogId;
                if (object.parentId != null)
                    if (object.parentId.length)
                        if (typeof object.parentId === "string")
                            $util.base64.decode(object.parentId, message.parentId = $util.newBuffer($util.base64.length(object.parentId)), 0);
                        else if (object.parentId.length >= 0)
                            message.parentId = object.parentId;
                return message;
            };

            /**
             * Creates a plain object from a Namespace message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Namespace
             * @static
             * @param {firn.v1.Namespace} message Namespace
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Namespace.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.path = [];
                if (options.objects || options.defaults)
                    object.properties = {};
                if (options.defaults) {
                    object.envelope = null;
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    object.guardGeneration = 0;
                    object["protected"] = false;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.purgeAfterMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.purgeAfterMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.catalogId = "";
                    else {
                        object.catalogId = [];
                        if (options.bytes !== $Array)
                            object.catalogId = $util.newBuffer(object.catalogId);
                    }
                    if (options.bytes === $String)
                        object.parentId = "";
                    else {
                        object.parentId = [];
                        if (options.bytes !== $Array)
                            object.parentId = $util.newBuffer(object.parentId);
                    }
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.path && message.path.length) {
                    object.path = $Array(message.path.length);
                    for (let j = 0; j < message.path.length; ++j)
                        object.path[j] = message.path[j];
                }
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    object.guardGeneration = message.guardGeneration;
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    object["protected"] = message["protected"];
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.purgeAfterMs = typeof message.purgeAfterMs === "number" ? $BigInt(message.purgeAfterMs) : $util.Long.fromBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0, false).toBigInt();
                    else if (typeof message.purgeAfterMs === "number")
                        object.purgeAfterMs = options.longs === $String ? $String(message.purgeAfterMs) : message.purgeAfterMs;
                    else
                        object.purgeAfterMs = options.longs === $String ? $util.Long.prototype.toString.call(message.purgeAfterMs) : options.longs === $Number ? new $util.LongBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0).toNumber() : message.purgeAfterMs;
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    object.catalogId = options.bytes === $String ? $util.base64.encode(message.catalogId, 0, message.catalogId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.catalogId) : message.catalogId;
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId"))
                    object.parentId = options.bytes === $String ? $util.base64.encode(message.parentId, 0, message.parentId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.parentId) : message.parentId;
                return object;
            };

            /**
             * Converts this Namespace to JSON.
             * @function toJSON
             * @memberof firn.v1.Namespace
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Namespace.prototype.toJSON = function() {
                return Namespace.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Namespace
             * @function getTypeUrl
             * @memberof firn.v1.Namespace
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Namespace.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Namespace";
            };

            return Namespace;
        })();

        /**
         * TableFormat enum.
         * @name firn.v1.TableFormat
         * @enum {number}
         * @property {number} TABLE_FORMAT_UNSPECIFIED=0 TABLE_FORMAT_UNSPECIFIED value
         * @property {number} TABLE_FORMAT_ICEBERG=1 TABLE_FORMAT_ICEBERG value
         * @property {number} TABLE_FORMAT_ROW=2 TABLE_FORMAT_ROW value
         * @property {number} TABLE_FORMAT_DELTA=3 TABLE_FORMAT_DELTA value
         * @property {number} TABLE_FORMAT_HUDI=4 TABLE_FORMAT_HUDI value
         * @property {number} TABLE_FORMAT_OTHER=5 TABLE_FORMAT_OTHER value
         */
        v1.TableFormat = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "TABLE_FORMAT_UNSPECIFIED"] = 0;
            values[valuesById[1] = "TABLE_FORMAT_ICEBERG"] = 1;
            values[valuesById[2] = "TABLE_FORMAT_ROW"] = 2;
            values[valuesById[3] = "TABLE_FORMAT_DELTA"] = 3;
            values[valuesById[4] = "TABLE_FORMAT_HUDI"] = 4;
            values[valuesById[5] = "TABLE_FORMAT_OTHER"] = 5;
            return values;
        })();

        v1.PointerSummary = (function() {

            /**
             * Properties of a PointerSummary.
             * @typedef {Object} firn.v1.PointerSummary.$Properties
             * @property {firn.v1.EntityType|null} [entityType] PointerSummary entityType
             * @property {Uint8Array|null} [entityId] PointerSummary entityId
             * @property {string|null} [name] PointerSummary name
             * @property {Uint8Array|null} [parentId] PointerSummary parentId
             * @property {Uint8Array|null} [catalogId] PointerSummary catalogId
             * @property {Uint8Array|null} [nameRevision] PointerSummary nameRevision
             * @property {Uint8Array|null} [revision] PointerSummary revision
             * @property {firn.v1.EntityState|null} [state] PointerSummary state
             * @property {firn.v1.TableFormat|null} [format] PointerSummary format
             * @property {Uint8Array|null} [tableUuid] PointerSummary tableUuid
             * @property {string|null} [metadataLocation] PointerSummary metadataLocation
             * @property {number|null} [guardGeneration] PointerSummary guardGeneration
             * @property {boolean|null} ["protected"] PointerSummary protected
             * @property {Uint8Array|null} [contentHash] PointerSummary contentHash
             * @property {Long|null} [purgeAfterMs] PointerSummary purgeAfterMs
             * @property {Long|null} [heldUntilMs] PointerSummary heldUntilMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PointerSummary.
             * @memberof firn.v1
             * @interface IPointerSummary
             * @augments firn.v1.PointerSummary.$Properties
             * @deprecated Use firn.v1.PointerSummary.$Properties instead.
             */

            /**
             * Shape of a PointerSummary.
             * @typedef {firn.v1.PointerSummary.$Properties} firn.v1.PointerSummary.$Shape
             */

            /**
             * Constructs a new PointerSummary.
             * @memberof firn.v1
             * @classdesc Represents a PointerSummary.
             * @constructor
             * @param {firn.v1.PointerSummary.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PointerSummary = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PointerSummary entityType.
             * @member {firn.v1.EntityType} entityType
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.entityType = 0;

            /**
             * PointerSummary entityId.
             * @member {Uint8Array} entityId
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.entityId = $util.newBuffer([]);

            /**
             * PointerSummary name.
             * @member {string} name
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.name = "";

            /**
             * PointerSummary parentId.
             * @member {Uint8Array} parentId
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.parentId = $util.newBuffer([]);

            /**
             * PointerSummary catalogId.
             * @member {Uint8Array} catalogId
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.catalogId = $util.newBuffer([]);

            /**
             * PointerSummary nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.nameRevision = $util.newBuffer([]);

            /**
             * PointerSummary revision.
             * @member {Uint8Array} revision
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.revision = $util.newBuffer([]);

            /**
             * PointerSummary state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.state = 0;

            /**
             * PointerSummary format.
             * @member {firn.v1.TableFormat} format
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.format = 0;

            /**
             * PointerSummary tableUuid.
             * @member {Uint8Array} tableUuid
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.tableUuid = $util.newBuffer([]);

            /**
             * PointerSummary metadataLocation.
             * @member {string} metadataLocation
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.metadataLocation = "";

            /**
             * PointerSummary guardGeneration.
             * @member {number} guardGeneration
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.guardGeneration = 0;

            /**
             * PointerSummary protected.
             * @member {boolean} protected
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype["protected"] = false;

            /**
             * PointerSummary contentHash.
             * @member {Uint8Array} contentHash
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.contentHash = $util.newBuffer([]);

            /**
             * PointerSummary purgeAfterMs.
             * @member {Long} purgeAfterMs
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.purgeAfterMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * PointerSummary heldUntilMs.
             * @member {Long} heldUntilMs
             * @memberof firn.v1.PointerSummary
             * @instance
             */
            PointerSummary.prototype.heldUntilMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new PointerSummary instance using the specified properties.
             * @function create
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {firn.v1.PointerSummary.$Properties=} [properties] Properties to set
             * @returns {firn.v1.PointerSummary} PointerSummary instance
             * @type {{
             *   (properties: firn.v1.PointerSummary.$Shape): firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape;
             *   (properties?: firn.v1.PointerSummary.$Properties): firn.v1.PointerSummary;
             * }}
             */
            PointerSummary.create = function(properties) {
                return new PointerSummary(properties);
            };

            /**
             * Encodes the specified PointerSummary message. Does not implicitly {@link firn.v1.PointerSummary.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {firn.v1.PointerSummary.$Properties} message PointerSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PointerSummary.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType") && message.entityType !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.entityType);
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId") && message.entityId.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.entityId);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.name);
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId") && message.parentId.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.parentId);
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId") && message.catalogId.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).bytes(message.catalogId);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.nameRevision);
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision") && message.revision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.revision);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).int32(message.state);
                if (message.format != null && $Object.hasOwnProperty.call(message, "format") && message.format !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).int32(message.format);
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid") && message.tableUuid.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.tableUuid);
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation") && message.metadataLocation !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.metadataLocation);
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration") && message.guardGeneration !== 0)
                    writer.uint32(/* id 12, wireType 0 =*/96).uint32(message.guardGeneration);
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected") && message["protected"] !== false)
                    writer.uint32(/* id 13, wireType 0 =*/104).bool(message["protected"]);
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash") && message.contentHash.length)
                    writer.uint32(/* id 14, wireType 2 =*/114).bytes(message.contentHash);
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs") && (typeof message.purgeAfterMs === "object" ? message.purgeAfterMs.low || message.purgeAfterMs.high : message.purgeAfterMs !== 0))
                    writer.uint32(/* id 15, wireType 0 =*/120).int64(message.purgeAfterMs);
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs") && (typeof message.heldUntilMs === "object" ? message.heldUntilMs.low || message.heldUntilMs.high : message.heldUntilMs !== 0))
                    writer.uint32(/* id 16, wireType 0 =*/128).int64(message.heldUntilMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified PointerSummary message, length delimited. Does not implicitly {@link firn.v1.PointerSummary.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {firn.v1.PointerSummary.$Properties} message PointerSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PointerSummary.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a PointerSummary message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape} PointerSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PointerSummary.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.PointerSummary();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.entityType = value;
                            else
                                delete message.entityType;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.entityId = value;
                            else
                                delete message.entityId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.parentId = value;
                            else
                                delete message.parentId;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.catalogId = value;
                            else
                                delete message.catalogId;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.revision = value;
                            else
                                delete message.revision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.format = value;
                            else
                                delete message.format;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.tableUuid = value;
                            else
                                delete message.tableUuid;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metadataLocation = value;
                            else
                                delete message.metadataLocation;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.guardGeneration = value;
                            else
                                delete message.guardGeneration;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message["protected"] = value;
                            else
                                delete message["protected"];
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.contentHash = value;
                            else
                                delete message.contentHash;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.purgeAfterMs = value;
                            else
                                delete message.purgeAfterMs;
                            continue;
                        }
                    case 16: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.heldUntilMs = value;
                            else
                                delete message.heldUntilMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a PointerSummary message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.PointerSummary & firn.v1.PointerSummary.$Shape} PointerSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PointerSummary.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a PointerSummary message.
             * @function verify
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            PointerSummary.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType"))
                    if (typeof message.entityType !== "number" || (message.entityType | 0) !== message.entityType)
                        return "entityType: enum value expected";
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId"))
                    if (!(message.entityId && typeof message.entityId.length === "number" || $util.isString(message.entityId)))
                        return "entityId: buffer expected";
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId"))
                    if (!(message.parentId && typeof message.parentId.length === "number" || $util.isString(message.parentId)))
                        return "parentId: buffer expected";
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    if (!(message.catalogId && typeof message.catalogId.length === "number" || $util.isString(message.catalogId)))
                        return "catalogId: buffer expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    if (!(message.revision && typeof message.revision.length === "number" || $util.isString(message.revision)))
                        return "revision: buffer expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.format != null && $Object.hasOwnProperty.call(message, "format"))
                    if (typeof message.format !== "number" || (message.format | 0) !== message.format)
                        return "format: enum value expected";
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid"))
                    if (!(message.tableUuid && typeof message.tableUuid.length === "number" || $util.isString(message.tableUuid)))
                        return "tableUuid: buffer expected";
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    if (!$util.isString(message.metadataLocation))
                        return "metadataLocation: string expected";
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    if (!$util.isInteger(message.guardGeneration))
                        return "guardGeneration: integer expected";
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    if (typeof message["protected"] !== "boolean")
                        return "protected: boolean expected";
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    if (!(message.contentHash && typeof message.contentHash.length === "number" || $util.isString(message.contentHash)))
                        return "contentHash: buffer expected";
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (!$util.isInteger(message.purgeAfterMs) && !(message.purgeAfterMs && $util.isInteger(message.purgeAfterMs.low) && $util.isInteger(message.purgeAfterMs.high)))
                        return "purgeAfterMs: integer|Long expected";
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs"))
                    if (!$util.isInteger(message.heldUntilMs) && !(message.heldUntilMs && $util.isInteger(message.heldUntilMs.low) && $util.isInteger(message.heldUntilMs.high)))
                        return "heldUntilMs: integer|Long expected";
                return null;
            };

            /**
             * Creates a PointerSummary message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.PointerSummary} PointerSummary
             */
            PointerSummary.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.PointerSummary)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.PointerSummary: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.PointerSummary();
                if (object.entityType !== 0 && (typeof object.entityType !== "string" || $root.firn.v1.EntityType[object.entityType] !== 0))
                    switch (object.entityType) {
                    case "ENTITY_TYPE_UNSPECIFIED":
                    case 0:
                        message.entityType = 0;
                        break;
                    case "ENTITY_TYPE_ACCOUNT":
                    case 1:
                        message.entityType = 1;
                        break;
                    case "ENTITY_TYPE_CATALOG":
                    case 2:
                        message.entityType = 2;
                        break;
                    case "ENTITY_TYPE_NAMESPACE":
                    case 3:
                        message.entityType = 3;
                        break;
                    case "ENTITY_TYPE_TABLE":
                    case 4:
                        message.entityType = 4;
                        break;
                    case "ENTITY_TYPE_VIEW":
                    case 5:
                        message.entityType = 5;
                        break;
                    case "ENTITY_TYPE_SNAPSHOT":
                    case 6:
                        message.entityType = 6;
                        break;
                    case "ENTITY_TYPE_TARGET_STATS":
                    case 7:
                        message.entityType = 7;
                        break;
                    case "ENTITY_TYPE_CONSTRAINTS":
                    case 8:
                        message.entityType = 8;
                        break;
                    case "ENTITY_TYPE_CONNECTOR":
                    case 9:
                        message.entityType = 9;
                        break;
                    case "ENTITY_TYPE_CHANGE":
                    case 10:
                        message.entityType = 10;
                        break;
                    case "ENTITY_TYPE_REPORT":
                    case 11:
                        message.entityType = 11;
                        break;
                    default:
                        if (typeof object.entityType === "number" && (object.entityType | 0) === object.entityType)
                            message.entityType = object.entityType;
                    }
                if (object.entityId != null)
                    if (object.entityId.length)
                        if (typeof object.entityId === "string")
                            $util.base64.decode(object.entityId, message.entityId = $util.newBuffer($util.base64.length(object.entityId)), 0);
                        else if (object.entityId.length >= 0)
                            message.entityId = object.entityId;
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.parentId != null)
                    if (object.parentId.length)
                        if (typeof object.parentId === "string")
                            $util.base64.decode(object.parentId, message.parentId = $util.newBuffer($util.base64.length(object.parentId)), 0);
                        else if (object.parentId.length >= 0)
                            message.parentId = object.parentId;
                if (object.catalogId != null)
                    if (object.catalogId.length)
                        if (typeof object.catalogId === "string")
                            $util.base64.decode(object.catalogId, message.catalogId = $util.newBuffer($util.base64.length(object.catalogId)), 0);
                        else if (object.catalogId.length >= 0)
                            message.catalogId = object.catalogId;
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object.revision != null)
                    if (object.revision.length)
                        if (typeof object.revision === "string")
                            $util.base64.decode(object.revision, message.revision = $util.newBuffer($util.base64.length(object.revision)), 0);
                        else if (object.revision.length >= 0)
                            message.revision = object.revision;
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.format !== 0 && (typeof object.format !== "string" || $root.firn.v1.TableFormat[object.format] !== 0))
                    switch (object.format) {
                    case "TABLE_FORMAT_UNSPECIFIED":
                    case 0:
                        message.format = 0;
                        break;
                    case "TABLE_FORMAT_ICEBERG":
                    case 1:
                        message.format = 1;
                        break;
                    case "TABLE_FORMAT_ROW":
                    case 2:
                        message.format = 2;
                        break;
                    case "TABLE_FORMAT_DELTA":
                    case 3:
                        message.format = 3;
                        break;
                    case "TABLE_FORMAT_HUDI":
                    case 4:
                        message.format = 4;
                        break;
                    case "TABLE_FORMAT_OTHER":
                    case 5:
                        message.format = 5;
                        break;
                    default:
                        if (typeof object.format === "number" && (object.format | 0) === object.format)
                            message.format = object.format;
                    }
                if (object.tableUuid != null)
                    if (object.tableUuid.length)
                        if (typeof object.tableUuid === "string")
                            $util.base64.decode(object.tableUuid, message.tableUuid = $util.newBuffer($util.base64.length(object.tableUuid)), 0);
                        else if (object.tableUuid.length >= 0)
                            message.tableUuid = object.tableUuid;
                if (object.metadataLocation != null)
                    if (typeof object.metadataLocation !== "string" || object.metadataLocation.length)
                        message.metadataLocation = $String(object.metadataLocation);
                if (object.guardGeneration != null)
                    if ($Number(object.guardGeneration) !== 0)
                        message.guardGeneration = object.guardGeneration >>> 0;
                if (object["protected"] != null)
                    if (object["protected"])
                        message["protected"] = $Boolean(object["protected"]);
                if (object.contentHash != null)
                    if (object.contentHash.length)
                        if (typeof object.contentHash === "string")
                            $util.base64.decode(object.contentHash, message.contentHash = $util.newBuffer($util.base64.length(object.contentHash)), 0);
                        else if (object.contentHash.length >= 0)
                            message.contentHash = object.contentHash;
                if (object.purgeAfterMs != null)
                    if (typeof object.purgeAfterMs === "object" ? object.purgeAfterMs.low || object.purgeAfterMs.high : $Number(object.purgeAfterMs) !== 0)
                        if ($util.Long)
                            message.purgeAfterMs = $util.Long.fromValue(object.purgeAfterMs, false);
                        else if (typeof object.purgeAfterMs === "string")
                            message.purgeAfterMs = $parseInt(object.purgeAfterMs, 10);
                        else if (typeof object.purgeAfterMs === "number")
                            message.purgeAfterMs = object.purgeAfterMs;
                        else if (typeof object.purgeAfterMs === "object")
                            message.purgeAfterMs = new $util.LongBits(object.purgeAfterMs.low >>> 0, object.purgeAfterMs.high >>> 0).toNumber();
                if (object.heldUntilMs != null)
                    if (typeof object.heldUntilMs === "object" ? object.heldUntilMs.low || object.heldUntilMs.high : $Number(object.heldUntilMs) !== 0)
                        if ($util.Long)
                            message.heldUntilMs = $util.Long.fromValue(object.heldUntilMs, false);
                        else if (typeof object.heldUntilMs === "string")
                            message.heldUntilMs = $parseInt(object.heldUntilMs, 10);
                        else if (typeof object.heldUntilMs === "number")
                            message.heldUntilMs = object.heldUntilMs;
                        else if (typeof object.heldUntilMs === "object")
                            message.heldUntilMs = new $util.LongBits(object.heldUntilMs.low >>> 0, object.heldUntilMs.high >>> 0).toNumber();
                return message;
            };

            /**
             * Creates a plain object from a PointerSummary message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {firn.v1.PointerSummary} message PointerSummary
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            PointerSummary.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.entityType = options.enums === $String ? "ENTITY_TYPE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.entityId = "";
                    else {
                        object.entityId = [];
                        if (options.bytes !== $Array)
                            object.entityId = $util.newBuffer(object.entityId);
                    }
                    object.name = "";
                    if (options.bytes === $String)
                        object.parentId = "";
                    else {
                        object.parentId = [];
                        if (options.bytes !== $Array)
                            object.parentId = $util.newBuffer(object.parentId);
                    }
                    if (options.bytes === $String)
                        object.catalogId = "";
                    else {
                        object.catalogId = [];
                        if (options.bytes !== $Array)
                            object.catalogId = $util.newBuffer(object.catalogId);
                    }
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    if (options.bytes === $String)
                        object.revision = "";
                    else {
                        object.revision = [];
                        if (options.bytes !== $Array)
                            object.revision = $util.newBuffer(object.revision);
                    }
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    object.format = options.enums === $String ? "TABLE_FORMAT_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.tableUuid = "";
                    else {
                        object.tableUuid = [];
                        if (options.bytes !== $Array)
                            object.tableUuid = $util.newBuffer(object.tableUuid);
                    }
                    object.metadataLocation = "";
                    object.guardGeneration = 0;
                    object["protected"] = false;
                    if (options.bytes === $String)
                        object.contentHash = "";
                    else {
                        object.contentHash = [];
                        if (options.bytes !== $Array)
                            object.contentHash = $util.newBuffer(object.contentHash);
                    }
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.purgeAfterMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.purgeAfterMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.heldUntilMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.heldUntilMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                }
                if (message.entityType != null && $Object.hasOwnProperty.call(message, "entityType"))
                    object.entityType = options.enums === $String ? $root.firn.v1.EntityType[message.entityType] === $undefined ? message.entityType : $root.firn.v1.EntityType[message.entityType] : message.entityType;
                if (message.entityId != null && $Object.hasOwnProperty.call(message, "entityId"))
                    object.entityId = options.bytes === $String ? $util.base64.encode(message.entityId, 0, message.entityId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.entityId) : message.entityId;
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.parentId != null && $Object.hasOwnProperty.call(message, "parentId"))
                    object.parentId = options.bytes === $String ? $util.base64.encode(message.parentId, 0, message.parentId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.parentId) : message.parentId;
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    object.catalogId = options.bytes === $String ? $util.base64.encode(message.catalogId, 0, message.catalogId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.catalogId) : message.catalogId;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    object.revision = options.bytes === $String ? $util.base64.encode(message.revision, 0, message.revision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.revision) : message.revision;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.format != null && $Object.hasOwnProperty.call(message, "format"))
                    object.format = options.enums === $String ? $root.firn.v1.TableFormat[message.format] === $undefined ? message.format : $root.firn.v1.TableFormat[message.format] : message.format;
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid"))
                    object.tableUuid = options.bytes === $String ? $util.base64.encode(message.tableUuid, 0, message.tableUuid.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.tableUuid) : message.tableUuid;
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    object.metadataLocation = message.metadataLocation;
                if (message.guardGeneration != null && $Object.hasOwnProperty.call(message, "guardGeneration"))
                    object.guardGeneration = message.guardGeneration;
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    object["protected"] = message["protected"];
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    object.contentHash = options.bytes === $String ? $util.base64.encode(message.contentHash, 0, message.contentHash.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.contentHash) : message.contentHash;
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.purgeAfterMs = typeof message.purgeAfterMs === "number" ? $BigInt(message.purgeAfterMs) : $util.Long.fromBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0, false).toBigInt();
                    else if (typeof message.purgeAfterMs === "number")
                        object.purgeAfterMs = options.longs === $String ? $String(message.purgeAfterMs) : message.purgeAfterMs;
                    else
                        object.purgeAfterMs = options.longs === $String ? $util.Long.prototype.toString.call(message.purgeAfterMs) : options.longs === $Number ? new $util.LongBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0).toNumber() : message.purgeAfterMs;
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.heldUntilMs = typeof message.heldUntilMs === "number" ? $BigInt(message.heldUntilMs) : $util.Long.fromBits(message.heldUntilMs.low >>> 0, message.heldUntilMs.high >>> 0, false).toBigInt();
                    else if (typeof message.heldUntilMs === "number")
                        object.heldUntilMs = options.longs === $String ? $String(message.heldUntilMs) : message.heldUntilMs;
                    else
                        object.heldUntilMs = options.longs === $String ? $util.Long.prototype.toString.call(message.heldUntilMs) : options.longs === $Number ? new $util.LongBits(message.heldUntilMs.low >>> 0, message.heldUntilMs.high >>> 0).toNumber() : message.heldUntilMs;
                return object;
            };

            /**
             * Converts this PointerSummary to JSON.
             * @function toJSON
             * @memberof firn.v1.PointerSummary
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            PointerSummary.prototype.toJSON = function() {
                return PointerSummary.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for PointerSummary
             * @function getTypeUrl
             * @memberof firn.v1.PointerSummary
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            PointerSummary.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.PointerSummary";
            };

            return PointerSummary;
        })();

        v1.SnapshotSummary = (function() {

            /**
             * Properties of a SnapshotSummary.
             * @typedef {Object} firn.v1.SnapshotSummary.$Properties
             * @property {Long|null} [snapshotId] SnapshotSummary snapshotId
             * @property {Long|null} [timestampMs] SnapshotSummary timestampMs
             * @property {Long|null} [tableVersion] SnapshotSummary tableVersion
             * @property {Uint8Array|null} [contentHash] SnapshotSummary contentHash
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SnapshotSummary.
             * @memberof firn.v1
             * @interface ISnapshotSummary
             * @augments firn.v1.SnapshotSummary.$Properties
             * @deprecated Use firn.v1.SnapshotSummary.$Properties instead.
             */

            /**
             * Shape of a SnapshotSummary.
             * @typedef {firn.v1.SnapshotSummary.$Properties} firn.v1.SnapshotSummary.$Shape
             */

            /**
             * Constructs a new SnapshotSummary.
             * @memberof firn.v1
             * @classdesc Represents a SnapshotSummary.
             * @constructor
             * @param {firn.v1.SnapshotSummary.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SnapshotSummary = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SnapshotSummary snapshotId.
             * @member {Long} snapshotId
             * @memberof firn.v1.SnapshotSummary
             * @instance
             */
            SnapshotSummary.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * SnapshotSummary timestampMs.
             * @member {Long} timestampMs
             * @memberof firn.v1.SnapshotSummary
             * @instance
             */
            SnapshotSummary.prototype.timestampMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * SnapshotSummary tableVersion.
             * @member {Long} tableVersion
             * @memberof firn.v1.SnapshotSummary
             * @instance
             */
            SnapshotSummary.prototype.tableVersion = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * SnapshotSummary contentHash.
             * @member {Uint8Array} contentHash
             * @memberof firn.v1.SnapshotSummary
             * @instance
             */
            SnapshotSummary.prototype.contentHash = $util.newBuffer([]);

            /**
             * Creates a new SnapshotSummary instance using the specified properties.
             * @function create
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {firn.v1.SnapshotSummary.$Properties=} [properties] Properties to set
             * @returns {firn.v1.SnapshotSummary} SnapshotSummary instance
             * @type {{
             *   (properties: firn.v1.SnapshotSummary.$Shape): firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape;
             *   (properties?: firn.v1.SnapshotSummary.$Properties): firn.v1.SnapshotSummary;
             * }}
             */
            SnapshotSummary.create = function(properties) {
                return new SnapshotSummary(properties);
            };

            /**
             * Encodes the specified SnapshotSummary message. Does not implicitly {@link firn.v1.SnapshotSummary.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {firn.v1.SnapshotSummary.$Properties} message SnapshotSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotSummary.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).int64(message.snapshotId);
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs") && (typeof message.timestampMs === "object" ? message.timestampMs.low || message.timestampMs.high : message.timestampMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.timestampMs);
                if (message.tableVersion != null && $Object.hasOwnProperty.call(message, "tableVersion") && (typeof message.tableVersion === "object" ? message.tableVersion.low || message.tableVersion.high : message.tableVersion !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.tableVersion);
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash") && message.contentHash.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.contentHash);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified SnapshotSummary message, length delimited. Does not implicitly {@link firn.v1.SnapshotSummary.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {firn.v1.SnapshotSummary.$Properties} message SnapshotSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotSummary.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a SnapshotSummary message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape} SnapshotSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotSummary.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.SnapshotSummary();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.timestampMs = value;
                            else
                                delete message.timestampMs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.tableVersion = value;
                            else
                                delete message.tableVersion;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.contentHash = value;
                            else
                                delete message.contentHash;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a SnapshotSummary message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.SnapshotSummary & firn.v1.SnapshotSummary.$Shape} SnapshotSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotSummary.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a SnapshotSummary message.
             * @function verify
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            SnapshotSummary.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (!$util.isInteger(message.snapshotId) && !(message.snapshotId && $util.isInteger(message.snapshotId.low) && $util.isInteger(message.snapshotId.high)))
                        return "snapshotId: integer|Long expected";
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs"))
                    if (!$util.isInteger(message.timestampMs) && !(message.timestampMs && $util.isInteger(message.timestampMs.low) && $util.isInteger(message.timestampMs.high)))
                        return "timestampMs: integer|Long expected";
                if (message.tableVersion != null && $Object.hasOwnProperty.call(message, "tableVersion"))
                    if (!$util.isInteger(message.tableVersion) && !(message.tableVersion && $util.isInteger(message.tableVersion.low) && $util.isInteger(message.tableVersion.high)))
                        return "tableVersion: integer|Long expected";
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    if (!(message.contentHash && typeof message.contentHash.length === "number" || $util.isString(message.contentHash)))
                        return "contentHash: buffer expected";
                return null;
            };

            /**
             * Creates a SnapshotSummary message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.SnapshotSummary} SnapshotSummary
             */
            SnapshotSummary.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.SnapshotSummary)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.SnapshotSummary: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.SnapshotSummary();
                if (object.snapshotId != null)
                    if (typeof object.snapshotId === "object" ? object.snapshotId.low || object.snapshotId.high : $Number(object.snapshotId) !== 0)
                        if ($util.Long)
                            message.snapshotId = $util.Long.fromValue(object.snapshotId, false);
                        else if (typeof object.snapshotId === "string")
                            message.snapshotId = $parseInt(object.snapshotId, 10);
                        else if (typeof object.snapshotId === "number")
                            message.snapshotId = object.snapshotId;
                        else if (typeof object.snapshotId === "object")
                            message.snapshotId = new $util.LongBits(object.snapshotId.low >>> 0, object.snapshotId.high >>> 0).toNumber();
                if (object.timestampMs != null)
                    if (typeof object.timestampMs === "object" ? object.timestampMs.low || object.timestampMs.high : $Number(object.timestampMs) !== 0)
                        if ($util.Long)
                            message.timestampMs = $util.Long.fromValue(object.timestampMs, false);
                        else if (typeof object.timestampMs === "string")
                            message.timestampMs = $parseInt(object.timestampMs, 10);
                        else if (typeof object.timestampMs === "number")
                            message.timestampMs = object.timestampMs;
                        else if (typeof object.timestampMs === "object")
                            message.timestampMs = new $util.LongBits(object.timestampMs.low >>> 0, object.timestampMs.high >>> 0).toNumber();
                if (object.tableVersion != null)
                    if (typeof object.tableVersion === "object" ? object.tableVersion.low || object.tableVersion.high : $Number(object.tableVersion) !== 0)
                        if ($util.Long)
                            message.tableVersion = $util.Long.fromValue(object.tableVersion, false);
                        else if (typeof object.tableVersion === "string")
                            message.tableVersion = $parseInt(object.tableVersion, 10);
                        else if (typeof object.tableVersion === "number")
                            message.tableVersion = object.tableVersion;
                        else if (typeof object.tableVersion === "object")
                            message.tableVersion = new $util.LongBits(object.tableVersion.low >>> 0, object.tableVersion.high >>> 0).toNumber();
                if (object.contentHash != null)
                    if (object.contentHash.length)
                        if (typeof object.contentHash === "string")
                            $util.base64.decode(object.contentHash, message.contentHash = $util.newBuffer($util.base64.length(object.contentHash)), 0);
                        else if (object.contentHash.length >= 0)
                            message.contentHash = object.contentHash;
                return message;
            };

            /**
             * Creates a plain object from a SnapshotSummary message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {firn.v1.SnapshotSummary} message SnapshotSummary
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            SnapshotSummary.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.snapshotId = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.snapshotId = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.timestampMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.timestampMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.tableVersion = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.tableVersion = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.contentHash = "";
                    else {
                        object.contentHash = [];
                        if (options.bytes !== $Array)
                            object.contentHash = $util.newBuffer(object.contentHash);
                    }
                }
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.snapshotId = typeof message.snapshotId === "number" ? $BigInt(message.snapshotId) : $util.Long.fromBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.snapshotId === "number")
                        object.snapshotId = options.longs === $String ? $String(message.snapshotId) : message.snapshotId;
                    else
                        object.snapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.snapshotId) : options.longs === $Number ? new $util.LongBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0).toNumber() : message.snapshotId;
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.timestampMs = typeof message.timestampMs === "number" ? $BigInt(message.timestampMs) : $util.Long.fromBits(message.timestampMs.low >>> 0, message.timestampMs.high >>> 0, false).toBigInt();
                    else if (typeof message.timestampMs === "number")
                        object.timestampMs = options.longs === $String ? $String(message.timestampMs) : message.timestampMs;
                    else
                        object.timestampMs = options.longs === $String ? $util.Long.prototype.toString.call(message.timestampMs) : options.longs === $Number ? new $util.LongBits(message.timestampMs.low >>> 0, message.timestampMs.high >>> 0).toNumber() : message.timestampMs;
                if (message.tableVersion != null && $Object.hasOwnProperty.call(message, "tableVersion"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.tableVersion = typeof message.tableVersion === "number" ? $BigInt(message.tableVersion) : $util.Long.fromBits(message.tableVersion.low >>> 0, message.tableVersion.high >>> 0, false).toBigInt();
                    else if (typeof message.tableVersion === "number")
                        object.tableVersion = options.longs === $String ? $String(message.tableVersion) : message.tableVersion;
                    else
                        object.tableVersion = options.longs === $String ? $util.Long.prototype.toString.call(message.tableVersion) : options.longs === $Number ? new $util.LongBits(message.tableVersion.low >>> 0, message.tableVersion.high >>> 0).toNumber() : message.tableVersion;
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    object.contentHash = options.bytes === $String ? $util.base64.encode(message.contentHash, 0, message.contentHash.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.contentHash) : message.contentHash;
                return object;
            };

            /**
             * Converts this SnapshotSummary to JSON.
             * @function toJSON
             * @memberof firn.v1.SnapshotSummary
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            SnapshotSummary.prototype.toJSON = function() {
                return SnapshotSummary.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for SnapshotSummary
             * @function getTypeUrl
             * @memberof firn.v1.SnapshotSummary
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SnapshotSummary.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.SnapshotSummary";
            };

            return SnapshotSummary;
        })();

        v1.PartSummary = (function() {

            /**
             * Properties of a PartSummary.
             * @typedef {Object} firn.v1.PartSummary.$Properties
             * @property {Long|null} [snapshotId] PartSummary snapshotId
             * @property {Uint8Array|null} [contentHash] PartSummary contentHash
             * @property {Uint8Array|null} [revision] PartSummary revision
             * @property {Long|null} [updatedAtMs] PartSummary updatedAtMs
             * @property {string|null} [updatedBy] PartSummary updatedBy
             * @property {number|null} [offset] PartSummary offset
             * @property {number|null} [length] PartSummary length
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PartSummary.
             * @memberof firn.v1
             * @interface IPartSummary
             * @augments firn.v1.PartSummary.$Properties
             * @deprecated Use firn.v1.PartSummary.$Properties instead.
             */

            /**
             * Shape of a PartSummary.
             * @typedef {firn.v1.PartSummary.$Properties} firn.v1.PartSummary.$Shape
             */

            /**
             * Constructs a new PartSummary.
             * @memberof firn.v1
             * @classdesc Represents a PartSummary.
             * @constructor
             * @param {firn.v1.PartSummary.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PartSummary = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PartSummary snapshotId.
             * @member {Long} snapshotId
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * PartSummary contentHash.
             * @member {Uint8Array} contentHash
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.contentHash = $util.newBuffer([]);

            /**
             * PartSummary revision.
             * @member {Uint8Array} revision
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.revision = $util.newBuffer([]);

            /**
             * PartSummary updatedAtMs.
             * @member {Long} updatedAtMs
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.updatedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * PartSummary updatedBy.
             * @member {string} updatedBy
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.updatedBy = "";

            /**
             * PartSummary offset.
             * @member {number} offset
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.offset = 0;

            /**
             * PartSummary length.
             * @member {number} length
             * @memberof firn.v1.PartSummary
             * @instance
             */
            PartSummary.prototype.length = 0;

            /**
             * Creates a new PartSummary instance using the specified properties.
             * @function create
             * @memberof firn.v1.PartSummary
             * @static
             * @param {firn.v1.PartSummary.$Properties=} [properties] Properties to set
             * @returns {firn.v1.PartSummary} PartSummary instance
             * @type {{
             *   (properties: firn.v1.PartSummary.$Shape): firn.v1.PartSummary & firn.v1.PartSummary.$Shape;
             *   (properties?: firn.v1.PartSummary.$Properties): firn.v1.PartSummary;
             * }}
             */
            PartSummary.create = function(properties) {
                return new PartSummary(properties);
            };

            /**
             * Encodes the specified PartSummary message. Does not implicitly {@link firn.v1.PartSummary.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.PartSummary
             * @static
             * @param {firn.v1.PartSummary.$Properties} message PartSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PartSummary.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).int64(message.snapshotId);
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash") && message.contentHash.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.contentHash);
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision") && message.revision.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.revision);
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs") && (typeof message.updatedAtMs === "object" ? message.updatedAtMs.low || message.updatedAtMs.high : message.updatedAtMs !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.updatedAtMs);
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy") && message.updatedBy !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.updatedBy);
                if (message.offset != null && $Object.hasOwnProperty.call(message, "offset") && message.offset !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.offset);
                if (message.length != null && $Object.hasOwnProperty.call(message, "length") && message.length !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.length);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified PartSummary message, length delimited. Does not implicitly {@link firn.v1.PartSummary.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.PartSummary
             * @static
             * @param {firn.v1.PartSummary.$Properties} message PartSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PartSummary.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a PartSummary message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.PartSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.PartSummary & firn.v1.PartSummary.$Shape} PartSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PartSummary.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.PartSummary();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.contentHash = value;
                            else
                                delete message.contentHash;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.revision = value;
                            else
                                delete message.revision;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.updatedAtMs = value;
                            else
                                delete message.updatedAtMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.updatedBy = value;
                            else
                                delete message.updatedBy;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.offset = value;
                            else
                                delete message.offset;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.length = value;
                            else
                                delete message.length;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a PartSummary message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.PartSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.PartSummary & firn.v1.PartSummary.$Shape} PartSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PartSummary.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a PartSummary message.
             * @function verify
             * @memberof firn.v1.PartSummary
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            PartSummary.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (!$util.isInteger(message.snapshotId) && !(message.snapshotId && $util.isInteger(message.snapshotId.low) && $util.isInteger(message.snapshotId.high)))
                        return "snapshotId: integer|Long expected";
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    if (!(message.contentHash && typeof message.contentHash.length === "number" || $util.isString(message.contentHash)))
                        return "contentHash: buffer expected";
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    if (!(message.revision && typeof message.revision.length === "number" || $util.isString(message.revision)))
                        return "revision: buffer expected";
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs"))
                    if (!$util.isInteger(message.updatedAtMs) && !(message.updatedAtMs && $util.isInteger(message.updatedAtMs.low) && $util.isInteger(message.updatedAtMs.high)))
                        return "updatedAtMs: integer|Long expected";
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy"))
                    if (!$util.isString(message.updatedBy))
                        return "updatedBy: string expected";
                if (message.offset != null && $Object.hasOwnProperty.call(message, "offset"))
                    if (!$util.isInteger(message.offset))
                        return "offset: integer expected";
                if (message.length != null && $Object.hasOwnProperty.call(message, "length"))
                    if (!$util.isInteger(message.length))
                        return "length: integer expected";
                return null;
            };

            /**
             * Creates a PartSummary message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.PartSummary
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.PartSummary} PartSummary
             */
            PartSummary.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.PartSummary)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.PartSummary: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.PartSummary();
                if (object.snapshotId != null)
                    if (typeof object.snapshotId === "object" ? object.snapshotId.low || object.snapshotId.high : $Number(object.snapshotId) !== 0)
                        if ($util.Long)
                            message.snapshotId = $util.Long.fromValue(object.snapshotId, false);
                        else if (typeof object.snapshotId === "string")
                            message.snapshotId = $parseInt(object.snapshotId, 10);
                        else if (typeof object.snapshotId === "number")
                            message.snapshotId = object.snapshotId;
                        else if (typeof object.snapshotId === "object")
                            message.snapshotId = new $util.LongBits(object.snapshotId.low >>> 0, object.snapshotId.high >>> 0).toNumber();
                if (object.contentHash != null)
                    if (object.contentHash.length)
                        if (typeof object.contentHash === "string")
                            $util.base64.decode(object.contentHash, message.contentHash = $util.newBuffer($util.base64.length(object.contentHash)), 0);
                        else if (object.contentHash.length >= 0)
                            message.contentHash = object.contentHash;
                if (object.revision != null)
                    if (object.revision.length)
                        if (typeof object.revision === "string")
                            $util.base64.decode(object.revision, message.revision = $util.newBuffer($util.base64.length(object.revision)), 0);
                        else if (object.revision.length >= 0)
                            message.revision = object.revision;
                if (object.updatedAtMs != null)
                    if (typeof object.updatedAtMs === "object" ? object.updatedAtMs.low || object.updatedAtMs.high : $Number(object.updatedAtMs) !== 0)
                        if ($util.Long)
                            message.updatedAtMs = $util.Long.fromValue(object.updatedAtMs, false);
                        else if (typeof object.updatedAtMs === "string")
                            message.updatedAtMs = $parseInt(object.updatedAtMs, 10);
                        else if (typeof object.updatedAtMs === "number")
                            message.updatedAtMs = object.updatedAtMs;
                        else if (typeof object.updatedAtMs === "object")
                            message.updatedAtMs = new $util.LongBits(object.updatedAtMs.low >>> 0, object.updatedAtMs.high >>> 0).toNumber();
                if (object.updatedBy != null)
                    if (typeof object.updatedBy !== "string" || object.updatedBy.length)
                        message.updatedBy = $String(object.updatedBy);
                if (object.offset != null)
                    if ($Number(object.offset) !== 0)
                        message.offset = object.offset >>> 0;
                if (object.length != null)
                    if ($Number(object.length) !== 0)
                        message.length = object.length >>> 0;
                return message;
            };

            /**
             * Creates a plain object from a PartSummary message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.PartSummary
             * @static
             * @param {firn.v1.PartSummary} message PartSummary
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            PartSummary.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.snapshotId = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.snapshotId = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.contentHash = "";
                    else {
                        object.contentHash = [];
                        if (options.bytes !== $Array)
                            object.contentHash = $util.newBuffer(object.contentHash);
                    }
                    if (options.bytes === $String)
                        object.revision = "";
                    else {
                        object.revision = [];
                        if (options.bytes !== $Array)
                            object.revision = $util.newBuffer(object.revision);
                    }
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.updatedAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.updatedAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.updatedBy = "";
                    object.offset = 0;
                    object.length = 0;
                }
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.snapshotId = typeof message.snapshotId === "number" ? $BigInt(message.snapshotId) : $util.Long.fromBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.snapshotId === "number")
                        object.snapshotId = options.longs === $String ? $String(message.snapshotId) : message.snapshotId;
                    else
                        object.snapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.snapshotId) : options.longs === $Number ? new $util.LongBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0).toNumber() : message.snapshotId;
                if (message.contentHash != null && $Object.hasOwnProperty.call(message, "contentHash"))
                    object.contentHash = options.bytes === $String ? $util.base64.encode(message.contentHash, 0, message.contentHash.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.contentHash) : message.contentHash;
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision"))
                    object.revision = options.bytes === $String ? $util.base64.encode(message.revision, 0, message.revision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.revision) : message.revision;
                if (message.updatedAtMs != null && $Object.hasOwnProperty.call(message, "updatedAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.updatedAtMs = typeof message.updatedAtMs === "number" ? $BigInt(message.updatedAtMs) : $util.Long.fromBits(message.updatedAtMs.low >>> 0, message.updatedAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.updatedAtMs === "number")
                        object.updatedAtMs = options.longs === $String ? $String(message.updatedAtMs) : message.updatedAtMs;
                    else
                        object.updatedAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.updatedAtMs) : options.longs === $Number ? new $util.LongBits(message.updatedAtMs.low >>> 0, message.updatedAtMs.high >>> 0).toNumber() : message.updatedAtMs;
                if (message.updatedBy != null && $Object.hasOwnProperty.call(message, "updatedBy"))
                    object.updatedBy = message.updatedBy;
                if (message.offset != null && $Object.hasOwnProperty.call(message, "offset"))
                    object.offset = message.offset;
                if (message.length != null && $Object.hasOwnProperty.call(message, "length"))
                    object.length = message.length;
                return object;
            };

            /**
             * Converts this PartSummary to JSON.
             * @function toJSON
             * @memberof firn.v1.PartSummary
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            PartSummary.prototype.toJSON = function() {
                return PartSummary.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for PartSummary
             * @function getTypeUrl
             * @memberof firn.v1.PartSummary
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            PartSummary.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.PartSummary";
            };

            return PartSummary;
        })();

        v1.ReceiptSummary = (function() {

            /**
             * Properties of a ReceiptSummary.
             * @typedef {Object} firn.v1.ReceiptSummary.$Properties
             * @property {Uint8Array|null} [requestHash] ReceiptSummary requestHash
             * @property {string|null} [principal] ReceiptSummary principal
             * @property {number|null} [status] ReceiptSummary status
             * @property {string|null} [key] ReceiptSummary key
             * @property {Long|null} [version] ReceiptSummary version
             * @property {string|null} [metadataLocation] ReceiptSummary metadataLocation
             * @property {Long|null} [expiresAtMs] ReceiptSummary expiresAtMs
             * @property {Uint8Array|null} [changeId] ReceiptSummary changeId
             * @property {string|null} [errorKind] ReceiptSummary errorKind
             * @property {string|null} [errorCode] ReceiptSummary errorCode
             * @property {string|null} [errorFacts] ReceiptSummary errorFacts
             * @property {string|null} [detail] ReceiptSummary detail
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReceiptSummary.
             * @memberof firn.v1
             * @interface IReceiptSummary
             * @augments firn.v1.ReceiptSummary.$Properties
             * @deprecated Use firn.v1.ReceiptSummary.$Properties instead.
             */

            /**
             * Shape of a ReceiptSummary.
             * @typedef {firn.v1.ReceiptSummary.$Properties} firn.v1.ReceiptSummary.$Shape
             */

            /**
             * Constructs a new ReceiptSummary.
             * @memberof firn.v1
             * @classdesc Represents a ReceiptSummary.
             * @constructor
             * @param {firn.v1.ReceiptSummary.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReceiptSummary = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReceiptSummary requestHash.
             * @member {Uint8Array} requestHash
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.requestHash = $util.newBuffer([]);

            /**
             * ReceiptSummary principal.
             * @member {string} principal
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.principal = "";

            /**
             * ReceiptSummary status.
             * @member {number} status
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.status = 0;

            /**
             * ReceiptSummary key.
             * @member {string} key
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.key = "";

            /**
             * ReceiptSummary version.
             * @member {Long} version
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.version = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ReceiptSummary metadataLocation.
             * @member {string} metadataLocation
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.metadataLocation = "";

            /**
             * ReceiptSummary expiresAtMs.
             * @member {Long} expiresAtMs
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.expiresAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ReceiptSummary changeId.
             * @member {Uint8Array} changeId
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.changeId = $util.newBuffer([]);

            /**
             * ReceiptSummary errorKind.
             * @member {string} errorKind
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.errorKind = "";

            /**
             * ReceiptSummary errorCode.
             * @member {string} errorCode
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.errorCode = "";

            /**
             * ReceiptSummary errorFacts.
             * @member {string} errorFacts
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.errorFacts = "";

            /**
             * ReceiptSummary detail.
             * @member {string} detail
             * @memberof firn.v1.ReceiptSummary
             * @instance
             */
            ReceiptSummary.prototype.detail = "";

            /**
             * Creates a new ReceiptSummary instance using the specified properties.
             * @function create
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {firn.v1.ReceiptSummary.$Properties=} [properties] Properties to set
             * @returns {firn.v1.ReceiptSummary} ReceiptSummary instance
             * @type {{
             *   (properties: firn.v1.ReceiptSummary.$Shape): firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape;
             *   (properties?: firn.v1.ReceiptSummary.$Properties): firn.v1.ReceiptSummary;
             * }}
             */
            ReceiptSummary.create = function(properties) {
                return new ReceiptSummary(properties);
            };

            /**
             * Encodes the specified ReceiptSummary message. Does not implicitly {@link firn.v1.ReceiptSummary.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {firn.v1.ReceiptSummary.$Properties} message ReceiptSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReceiptSummary.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestHash != null && $Object.hasOwnProperty.call(message, "requestHash") && message.requestHash.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.requestHash);
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal") && message.principal !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.principal);
                if (message.status != null && $Object.hasOwnProperty.call(message, "status") && message.status !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.status);
                if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.key);
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && (typeof message.version === "object" ? message.version.low || message.version.high : message.version !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.version);
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation") && message.metadataLocation !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.metadataLocation);
                if (message.expiresAtMs != null && $Object.hasOwnProperty.call(message, "expiresAtMs") && (typeof message.expiresAtMs === "object" ? message.expiresAtMs.low || message.expiresAtMs.high : message.expiresAtMs !== 0))
                    writer.uint32(/* id 7, wireType 0 =*/56).int64(message.expiresAtMs);
                if (message.changeId != null && $Object.hasOwnProperty.call(message, "changeId") && message.changeId.length)
                    writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.changeId);
                if (message.errorKind != null && $Object.hasOwnProperty.call(message, "errorKind") && message.errorKind !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.errorKind);
                if (message.errorCode != null && $Object.hasOwnProperty.call(message, "errorCode") && message.errorCode !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.errorCode);
                if (message.errorFacts != null && $Object.hasOwnProperty.call(message, "errorFacts") && message.errorFacts !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.errorFacts);
                if (message.detail != null && $Object.hasOwnProperty.call(message, "detail") && message.detail !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.detail);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified ReceiptSummary message, length delimited. Does not implicitly {@link firn.v1.ReceiptSummary.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {firn.v1.ReceiptSummary.$Properties} message ReceiptSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReceiptSummary.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a ReceiptSummary message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape} ReceiptSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReceiptSummary.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.ReceiptSummary();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.requestHash = value;
                            else
                                delete message.requestHash;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.principal = value;
                            else
                                delete message.principal;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.status = value;
                            else
                                delete message.status;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.key = value;
                            else
                                delete message.key;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metadataLocation = value;
                            else
                                delete message.metadataLocation;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.expiresAtMs = value;
                            else
                                delete message.expiresAtMs;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.changeId = value;
                            else
                                delete message.changeId;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.errorKind = value;
                            else
                                delete message.errorKind;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.errorCode = value;
                            else
                                delete message.errorCode;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.errorFacts = value;
                            else
                                delete message.errorFacts;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.detail = value;
                            else
                                delete message.detail;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a ReceiptSummary message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.ReceiptSummary & firn.v1.ReceiptSummary.$Shape} ReceiptSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReceiptSummary.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a ReceiptSummary message.
             * @function verify
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            ReceiptSummary.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.requestHash != null && $Object.hasOwnProperty.call(message, "requestHash"))
                    if (!(message.requestHash && typeof message.requestHash.length === "number" || $util.isString(message.requestHash)))
                        return "requestHash: buffer expected";
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal"))
                    if (!$util.isString(message.principal))
                        return "principal: string expected";
                if (message.status != null && $Object.hasOwnProperty.call(message, "status"))
                    if (!$util.isInteger(message.status))
                        return "status: integer expected";
                if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                    if (!$util.isString(message.key))
                        return "key: string expected";
                if (message.version != null && $Object.hasOwnProperty.call(message, "version"))
                    if (!$util.isInteger(message.version) && !(message.version && $util.isInteger(message.version.low) && $util.isInteger(message.version.high)))
                        return "version: integer|Long expected";
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    if (!$util.isString(message.metadataLocation))
                        return "metadataLocation: string expected";
                if (message.expiresAtMs != null && $Object.hasOwnProperty.call(message, "expiresAtMs"))
                    if (!$util.isInteger(message.expiresAtMs) && !(message.expiresAtMs && $util.isInteger(message.expiresAtMs.low) && $util.isInteger(message.expiresAtMs.high)))
                        return "expiresAtMs: integer|Long expected";
                if (message.changeId != null && $Object.hasOwnProperty.call(message, "changeId"))
                    if (!(message.changeId && typeof message.changeId.length === "number" || $util.isString(message.changeId)))
                        return "changeId: buffer expected";
                if (message.errorKind != null && $Object.hasOwnProperty.call(message, "errorKind"))
                    if (!$util.isString(message.errorKind))
                        return "errorKind: string expected";
                if (message.errorCode != null && $Object.hasOwnProperty.call(message, "errorCode"))
                    if (!$util.isString(message.errorCode))
                        return "errorCode: string expected";
                if (message.errorFacts != null && $Object.hasOwnProperty.call(message, "errorFacts"))
                    if (!$util.isString(message.errorFacts))
                        return "errorFacts: string expected";
                if (message.detail != null && $Object.hasOwnProperty.call(message, "detail"))
                    if (!$util.isString(message.detail))
                        return "detail: string expected";
                return null;
            };

            /**
             * Creates a ReceiptSummary message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.ReceiptSummary} ReceiptSummary
             */
            ReceiptSummary.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.ReceiptSummary)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.ReceiptSummary: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.ReceiptSummary();
                if (object.requestHash != null)
                    if (object.requestHash.length)
                        if (typeof object.requestHash === "string")
                            $util.base64.decode(object.requestHash, message.requestHash = $util.newBuffer($util.base64.length(object.requestHash)), 0);
                        else if (object.requestHash.length >= 0)
                            message.requestHash = object.requestHash;
                if (object.principal != null)
                    if (typeof object.principal !== "string" || object.principal.length)
                        message.principal = $String(object.principal);
                if (object.status != null)
                    if ($Number(object.status) !== 0)
                        message.status = object.status >>> 0;
                if (object.key != null)
                    if (typeof object.key !== "string" || object.key.length)
                        message.key = $String(object.key);
                if (object.version != null)
                    if (typeof object.version === "object" ? object.version.low || object.version.high : $Number(object.version) !== 0)
                        if ($util.Long)
                            message.version = $util.Long.fromValue(object.version, false);
                        else if (typeof object.version === "string")
                            message.version = $parseInt(object.version, 10);
                        else if (typeof object.version === "number")
                            message.version = object.version;
                        else if (typeof object.version === "object")
                            message.version = new $util.LongBits(object.version.low >>> 0, object.version.high >>> 0).toNumber();
                if (object.metadataLocation != null)
                    if (typeof object.metadataLocation !== "string" || object.metadataLocation.length)
                        message.metadataLocation = $String(object.metadataLocation);
                if (object.expiresAtMs != null)
                    if (typeof object.expiresAtMs === "object" ? object.expiresAtMs.low || object.expiresAtMs.high : $Number(object.expiresAtMs) !== 0)
                        if ($util.Long)
                            message.expiresAtMs = $util.Long.fromValue(object.expiresAtMs, false);
                        else if (typeof object.expiresAtMs === "string")
                            message.expiresAtMs = $parseInt(object.expiresAtMs, 10);
                        else if (typeof object.expiresAtMs === "number")
                            message.expiresAtMs = object.expiresAtMs;
                        else if (typeof object.expiresAtMs === "object")
                            message.expiresAtMs = new $util.LongBits(object.expiresAtMs.low >>> 0, object.expiresAtMs.high >>> 0).toNumber();
                if (object.changeId != null)
                    if (object.changeId.length)
                        if (typeof object.changeId === "string")
                            $util.base64.decode(object.changeId, message.changeId = $util.newBuffer($util.base64.length(object.changeId)), 0);
                        else if (object.changeId.length >= 0)
                            message.changeId = object.changeId;
                if (object.errorKind != null)
                    if (typeof object.errorKind !== "string" || object.errorKind.length)
                        message.errorKind = $String(object.errorKind);
                if (object.errorCode != null)
                    if (typeof object.errorCode !== "string" || object.errorCode.length)
                        message.errorCode = $String(object.errorCode);
                if (object.errorFacts != null)
                    if (typeof object.errorFacts !== "string" || object.errorFacts.length)
                        message.errorFacts = $String(object.errorFacts);
                if (object.detail != null)
                    if (typeof object.detail !== "string" || object.detail.length)
                        message.detail = $String(object.detail);
                return message;
            };

            /**
             * Creates a plain object from a ReceiptSummary message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {firn.v1.ReceiptSummary} message ReceiptSummary
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            ReceiptSummary.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if (options.bytes === $String)
                        object.requestHash = "";
                    else {
                        object.requestHash = [];
                        if (options.bytes !== $Array)
                            object.requestHash = $util.newBuffer(object.requestHash);
                    }
                    object.principal = "";
                    object.status = 0;
                    object.key = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.version = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.version = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.metadataLocation = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.expiresAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.expiresAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.changeId = "";
                    else {
                        object.changeId = [];
                        if (options.bytes !== $Array)
                            object.changeId = $util.newBuffer(object.changeId);
                    }
                    object.errorKind = "";
                    object.errorCode = "";
                    object.errorFacts = "";
                    object.detail = "";
                }
                if (message.requestHash != null && $Object.hasOwnProperty.call(message, "requestHash"))
                    object.requestHash = options.bytes === $String ? $util.base64.encode(message.requestHash, 0, message.requestHash.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.requestHash) : message.requestHash;
                if (message.principal != null && $Object.hasOwnProperty.call(message, "principal"))
                    object.principal = message.principal;
                if (message.status != null && $Object.hasOwnProperty.call(message, "status"))
                    object.status = message.status;
                if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                    object.key = message.key;
                if (message.version != null && $Object.hasOwnProperty.call(message, "version"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.version = typeof message.version === "number" ? $BigInt(message.version) : $util.Long.fromBits(message.version.low >>> 0, message.version.high >>> 0, false).toBigInt();
                    else if (typeof message.version === "number")
                        object.version = options.longs === $String ? $String(message.version) : message.version;
                    else
                        object.version = options.longs === $String ? $util.Long.prototype.toString.call(message.version) : options.longs === $Number ? new $util.LongBits(message.version.low >>> 0, message.version.high >>> 0).toNumber() : message.version;
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    object.metadataLocation = message.metadataLocation;
                if (message.expiresAtMs != null && $Object.hasOwnProperty.call(message, "expiresAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.expiresAtMs = typeof message.expiresAtMs === "number" ? $BigInt(message.expiresAtMs) : $util.Long.fromBits(message.expiresAtMs.low >>> 0, message.expiresAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.expiresAtMs === "number")
                        object.expiresAtMs = options.longs === $String ? $String(message.expiresAtMs) : message.expiresAtMs;
                    else
                        object.expiresAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.expiresAtMs) : options.longs === $Number ? new $util.LongBits(message.expiresAtMs.low >>> 0, message.expiresAtMs.high >>> 0).toNumber() : message.expiresAtMs;
                if (message.changeId != null && $Object.hasOwnProperty.call(message, "changeId"))
                    object.changeId = options.bytes === $String ? $util.base64.encode(message.changeId, 0, message.changeId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.changeId) : message.changeId;
                if (message.errorKind != null && $Object.hasOwnProperty.call(message, "errorKind"))
                    object.errorKind = message.errorKind;
                if (message.errorCode != null && $Object.hasOwnProperty.call(message, "errorCode"))
                    object.errorCode = message.errorCode;
                if (message.errorFacts != null && $Object.hasOwnProperty.call(message, "errorFacts"))
                    object.errorFacts = message.errorFacts;
                if (message.detail != null && $Object.hasOwnProperty.call(message, "detail"))
                    object.detail = message.detail;
                return object;
            };

            /**
             * Converts this ReceiptSummary to JSON.
             * @function toJSON
             * @memberof firn.v1.ReceiptSummary
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            ReceiptSummary.prototype.toJSON = function() {
                return ReceiptSummary.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for ReceiptSummary
             * @function getTypeUrl
             * @memberof firn.v1.ReceiptSummary
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ReceiptSummary.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.ReceiptSummary";
            };

            return ReceiptSummary;
        })();

        v1.JobSummary = (function() {

            /**
             * Properties of a JobSummary.
             * @typedef {Object} firn.v1.JobSummary.$Properties
             * @property {string|null} [kind] JobSummary kind
             * @property {firn.v1.EntityType|null} [subjectType] JobSummary subjectType
             * @property {Uint8Array|null} [subjectId] JobSummary subjectId
             * @property {string|null} [step] JobSummary step
             * @property {Long|null} [dueMs] JobSummary dueMs
             * @property {Uint8Array|null} [holder] JobSummary holder
             * @property {Long|null} [heldUntilMs] JobSummary heldUntilMs
             * @property {number|null} [tries] JobSummary tries
             * @property {number|null} [failures] JobSummary failures
             * @property {string|null} [lastFailure] JobSummary lastFailure
             * @property {string|null} [lastMessage] JobSummary lastMessage
             * @property {Long|null} [done] JobSummary done
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a JobSummary.
             * @memberof firn.v1
             * @interface IJobSummary
             * @augments firn.v1.JobSummary.$Properties
             * @deprecated Use firn.v1.JobSummary.$Properties instead.
             */

            /**
             * Shape of a JobSummary.
             * @typedef {firn.v1.JobSummary.$Properties} firn.v1.JobSummary.$Shape
             */

            /**
             * Constructs a new JobSummary.
             * @memberof firn.v1
             * @classdesc Represents a JobSummary.
             * @constructor
             * @param {firn.v1.JobSummary.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const JobSummary = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * JobSummary kind.
             * @member {string} kind
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.kind = "";

            /**
             * JobSummary subjectType.
             * @member {firn.v1.EntityType} subjectType
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.subjectType = 0;

            /**
             * JobSummary subjectId.
             * @member {Uint8Array} subjectId
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.subjectId = $util.newBuffer([]);

            /**
             * JobSummary step.
             * @member {string} step
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.step = "";

            /**
             * JobSummary dueMs.
             * @member {Long} dueMs
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.dueMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobSummary holder.
             * @member {Uint8Array} holder
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.holder = $util.newBuffer([]);

            /**
             * JobSummary heldUntilMs.
             * @member {Long} heldUntilMs
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.heldUntilMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobSummary tries.
             * @member {number} tries
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.tries = 0;

            /**
             * JobSummary failures.
             * @member {number} failures
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.failures = 0;

            /**
             * JobSummary lastFailure.
             * @member {string} lastFailure
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.lastFailure = "";

            /**
             * JobSummary lastMessage.
             * @member {string} lastMessage
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.lastMessage = "";

            /**
             * JobSummary done.
             * @member {Long} done
             * @memberof firn.v1.JobSummary
             * @instance
             */
            JobSummary.prototype.done = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new JobSummary instance using the specified properties.
             * @function create
             * @memberof firn.v1.JobSummary
             * @static
             * @param {firn.v1.JobSummary.$Properties=} [properties] Properties to set
             * @returns {firn.v1.JobSummary} JobSummary instance
             * @type {{
             *   (properties: firn.v1.JobSummary.$Shape): firn.v1.JobSummary & firn.v1.JobSummary.$Shape;
             *   (properties?: firn.v1.JobSummary.$Properties): firn.v1.JobSummary;
             * }}
             */
            JobSummary.create = function(properties) {
                return new JobSummary(properties);
            };

            /**
             * Encodes the specified JobSummary message. Does not implicitly {@link firn.v1.JobSummary.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.JobSummary
             * @static
             * @param {firn.v1.JobSummary.$Properties} message JobSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            JobSummary.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.kind);
                if (message.subjectType != null && $Object.hasOwnProperty.call(message, "subjectType") && message.subjectType !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.subjectType);
                if (message.subjectId != null && $Object.hasOwnProperty.call(message, "subjectId") && message.subjectId.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.subjectId);
                if (message.step != null && $Object.hasOwnProperty.call(message, "step") && message.step !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.step);
                if (message.dueMs != null && $Object.hasOwnProperty.call(message, "dueMs") && (typeof message.dueMs === "object" ? message.dueMs.low || message.dueMs.high : message.dueMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.dueMs);
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder") && message.holder.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.holder);
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs") && (typeof message.heldUntilMs === "object" ? message.heldUntilMs.low || message.heldUntilMs.high : message.heldUntilMs !== 0))
                    writer.uint32(/* id 7, wireType 0 =*/56).int64(message.heldUntilMs);
                if (message.tries != null && $Object.hasOwnProperty.call(message, "tries") && message.tries !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.tries);
                if (message.failures != null && $Object.hasOwnProperty.call(message, "failures") && message.failures !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.failures);
                if (message.lastFailure != null && $Object.hasOwnProperty.call(message, "lastFailure") && message.lastFailure !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.lastFailure);
                if (message.lastMessage != null && $Object.hasOwnProperty.call(message, "lastMessage") && message.lastMessage !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.lastMessage);
                if (message.done != null && $Object.hasOwnProperty.call(message, "done") && (typeof message.done === "object" ? message.done.low || message.done.high : message.done !== 0))
                    writer.uint32(/* id 12, wireType 0 =*/96).int64(message.done);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified JobSummary message, length delimited. Does not implicitly {@link firn.v1.JobSummary.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.JobSummary
             * @static
             * @param {firn.v1.JobSummary.$Properties} message JobSummary message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            JobSummary.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a JobSummary message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.JobSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.JobSummary & firn.v1.JobSummary.$Shape} JobSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            JobSummary.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.JobSummary();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.subjectType = value;
                            else
                                delete message.subjectType;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.subjectId = value;
                            else
                                delete message.subjectId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.step = value;
                            else
                                delete message.step;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.dueMs = value;
                            else
                                delete message.dueMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.holder = value;
                            else
                                delete message.holder;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.heldUntilMs = value;
                            else
                                delete message.heldUntilMs;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.tries = value;
                            else
                                delete message.tries;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.failures = value;
                            else
                                delete message.failures;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.lastFailure = value;
                            else
                                delete message.lastFailure;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.lastMessage = value;
                            else
                                delete message.lastMessage;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.done = value;
                            else
                                delete message.done;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a JobSummary message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.JobSummary
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.JobSummary & firn.v1.JobSummary.$Shape} JobSummary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            JobSummary.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a JobSummary message.
             * @function verify
             * @memberof firn.v1.JobSummary
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            JobSummary.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    if (!$util.isString(message.kind))
                        return "kind: string expected";
                if (message.subjectType != null && $Object.hasOwnProperty.call(message, "subjectType"))
                    if (typeof message.subjectType !== "number" || (message.subjectType | 0) !== message.subjectType)
                        return "subjectType: enum value expected";
                if (message.subjectId != null && $Object.hasOwnProperty.call(message, "subjectId"))
                    if (!(message.subjectId && typeof message.subjectId.length === "number" || $util.isString(message.subjectId)))
                        return "subjectId: buffer expected";
                if (message.step != null && $Object.hasOwnProperty.call(message, "step"))
                    if (!$util.isString(message.step))
                        return "step: string expected";
                if (message.dueMs != null && $Object.hasOwnProperty.call(message, "dueMs"))
                    if (!$util.isInteger(message.dueMs) && !(message.dueMs && $util.isInteger(message.dueMs.low) && $util.isInteger(message.dueMs.high)))
                        return "dueMs: integer|Long expected";
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder"))
                    if (!(message.holder && typeof message.holder.length === "number" || $util.isString(message.holder)))
                        return "holder: buffer expected";
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs"))
                    if (!$util.isInteger(message.heldUntilMs) && !(message.heldUntilMs && $util.isInteger(message.heldUntilMs.low) && $util.isInteger(message.heldUntilMs.high)))
                        return "heldUntilMs: integer|Long expected";
                if (message.tries != null && $Object.hasOwnProperty.call(message, "tries"))
                    if (!$util.isInteger(message.tries))
                        return "tries: integer expected";
                if (message.failures != null && $Object.hasOwnProperty.call(message, "failures"))
                    if (!$util.isInteger(message.failures))
                        return "failures: integer expected";
                if (message.lastFailure != null && $Object.hasOwnProperty.call(message, "lastFailure"))
                    if (!$util.isString(message.lastFailure))
                        return "lastFailure: string expected";
                if (message.lastMessage != null && $Object.hasOwnProperty.call(message, "lastMessage"))
                    if (!$util.isString(message.lastMessage))
                        return "lastMessage: string expected";
                if (message.done != null && $Object.hasOwnProperty.call(message, "done"))
                    if (!$util.isInteger(message.done) && !(message.done && $util.isInteger(message.done.low) && $util.isInteger(message.done.high)))
                        return "done: integer|Long expected";
                return null;
            };

            /**
             * Creates a JobSummary message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.JobSummary
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.JobSummary} JobSummary
             */
            JobSummary.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.JobSummary)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.JobSummary: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.JobSummary();
                if (object.kind != null)
                    if (typeof object.kind !== "string" || object.kind.length)
                        message.kind = $String(object.kind);
                if (object.subjectType !== 0 && (typeof object.subjectType !== "string" || $root.firn.v1.EntityType[object.subjectType] !== 0))
                    switch (object.subjectType) {
                    case "ENTITY_TYPE_UNSPECIFIED":
                    case 0:
                        message.subjectType = 0;
                        break;
                    case "ENTITY_TYPE_ACCOUNT":
                    case 1:
                        message.subjectType = 1;
                        break;
                    case "ENTITY_TYPE_CATALOG":
                    case 2:
                        message.subjectType = 2;
                        break;
                    case "ENTITY_TYPE_NAMESPACE":
                    case 3:
                        message.subjectType = 3;
                        break;
                    case "ENTITY_TYPE_TABLE":
                    case 4:
                        message.subjectType = 4;
                        break;
                    case "ENTITY_TYPE_VIEW":
                    case 5:
                        message.subjectType = 5;
                        break;
                    case "ENTITY_TYPE_SNAPSHOT":
                    case 6:
                        message.subjectType = 6;
                        break;
                    case "ENTITY_TYPE_TARGET_STATS":
                    case 7:
                        message.subjectType = 7;
                        break;
                    case "ENTITY_TYPE_CONSTRAINTS":
                    case 8:
                        message.subjectType = 8;
                        break;
                    case "ENTITY_TYPE_CONNECTOR":
                    case 9:
                        message.subjectType = 9;
                        break;
                    case "ENTITY_TYPE_CHANGE":
                    case 10:
                        message.subjectType = 10;
                        break;
                    case "ENTITY_TYPE_REPORT":
                    case 11:
                        message.subjectType = 11;
                        break;
                    default:
                        if (typeof object.subjectType === "number" && (object.subjectType | 0) === object.subjectType)
                            message.subjectType = object.subjectType;
                    }
                if (object.subjectId != null)
                    if (object.subjectId.length)
                        if (typeof object.subjectId === "string")
                            $util.base64.decode(object.subjectId, message.subjectId = $util.newBuffer($util.base64.length(object.subjectId)), 0);
                        else if (object.subjectId.length >= 0)
                            message.subjectId = object.subjectId;
                if (object.step != null)
                    if (typeof object.step !== "string" || object.step.length)
                        message.step = $String(object.step);
                if (object.dueMs != null)
                    if (typeof object.dueMs === "object" ? object.dueMs.low || object.dueMs.high : $Number(object.dueMs) !== 0)
                        if ($util.Long)
                            message.dueMs = $util.Long.fromValue(object.dueMs, false);
                        else if (typeof object.dueMs === "string")
                            message.dueMs = $parseInt(object.dueMs, 10);
                        else if (typeof object.dueMs === "number")
                            message.dueMs = object.dueMs;
                        else if (typeof object.dueMs === "object")
                            message.dueMs = new $util.LongBits(object.dueMs.low >>> 0, object.dueMs.high >>> 0).toNumber();
                if (object.holder != null)
                    if (object.holder.length)
                        if (typeof object.holder === "string")
                            $util.base64.decode(object.holder, message.holder = $util.newBuffer($util.base64.length(object.holder)), 0);
                        else if (object.holder.length >= 0)
                            message.holder = object.holder;
                if (object.heldUntilMs != null)
                    if (typeof object.heldUntilMs === "object" ? object.heldUntilMs.low || object.heldUntilMs.high : $Number(object.heldUntilMs) !== 0)
                        if ($util.Long)
                            message.heldUntilMs = $util.Long.fromValue(object.heldUntilMs, false);
                        else if (typeof object.heldUntilMs === "string")
                            message.heldUntilMs = $parseInt(object.heldUntilMs, 10);
                        else if (typeof object.heldUntilMs === "number")
                            message.heldUntilMs = object.heldUntilMs;
                        else if (typeof object.heldUntilMs === "object")
                            message.heldUntilMs = new $util.LongBits(object.heldUntilMs.low >>> 0, object.heldUntilMs.high >>> 0).toNumber();
                if (object.tries != null)
                    if ($Number(object.tries) !== 0)
                        message.tries = object.tries >>> 0;
                if (object.failures != null)
                    if ($Number(object.failures) !== 0)
                        message.failures = object.failures >>> 0;
                if (object.lastFailure != null)
                    if (typeof object.lastFailure !== "string" || object.lastFailure.length)
                        message.lastFailure = $String(object.lastFailure);
                if (object.lastMessage != null)
                    if (typeof object.lastMessage !== "string" || object.lastMessage.length)
                        message.lastMessage = $String(object.lastMessage);
                if (object.done != null)
                    if (typeof object.done === "object" ? object.done.low || object.done.high : $Number(object.done) !== 0)
                        if ($util.Long)
                            message.done = $util.Long.fromValue(object.done, false);
                        else if (typeof object.done === "string")
                            message.done = $parseInt(object.done, 10);
                        else if (typeof object.done === "number")
                            message.done = object.done;
                        else if (typeof object.done === "object")
                            message.done = new $util.LongBits(object.done.low >>> 0, object.done.high >>> 0).toNumber();
                return message;
            };

            /**
             * Creates a plain object from a JobSummary message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.JobSummary
             * @static
             * @param {firn.v1.JobSummary} message JobSummary
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            JobSummary.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.kind = "";
                    object.subjectType = options.enums === $String ? "ENTITY_TYPE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.subjectId = "";
                    else {
                        object.subjectId = [];
                        if (options.bytes !== $Array)
                            object.subjectId = $util.newBuffer(object.subjectId);
                    }
                    object.step = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.dueMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.dueMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.holder = "";
                    else {
                        object.holder = [];
                        if (options.bytes !== $Array)
                            object.holder = $util.newBuffer(object.holder);
                    }
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.heldUntilMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.heldUntilMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.tries = 0;
                    object.failures = 0;
                    object.lastFailure = "";
                    object.lastMessage = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.done = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.done = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                }
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    object.kind = message.kind;
                if (message.subjectType != null && $Object.hasOwnProperty.call(message, "subjectType"))
                    object.subjectType = options.enums === $String ? $root.firn.v1.EntityType[message.subjectType] === $undefined ? message.subjectType : $root.firn.v1.EntityType[message.subjectType] : message.subjectType;
                if (message.subjectId != null && $Object.hasOwnProperty.call(message, "subjectId"))
                    object.subjectId = options.bytes === $String ? $util.base64.encode(message.subjectId, 0, message.subjectId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.subjectId) : message.subjectId;
                if (message.step != null && $Object.hasOwnProperty.call(message, "step"))
                    object.step = message.step;
                if (message.dueMs != null && $Object.hasOwnProperty.call(message, "dueMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.dueMs = typeof message.dueMs === "number" ? $BigInt(message.dueMs) : $util.Long.fromBits(message.dueMs.low >>> 0, message.dueMs.high >>> 0, false).toBigInt();
                    else if (typeof message.dueMs === "number")
                        object.dueMs = options.longs === $String ? $String(message.dueMs) : message.dueMs;
                    else
                        object.dueMs = options.longs === $String ? $util.Long.prototype.toString.call(message.dueMs) : options.longs === $Number ? new $util.LongBits(message.dueMs.low >>> 0, message.dueMs.high >>> 0).toNumber() : message.dueMs;
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder"))
                    object.holder = options.bytes === $String ? $util.base64.encode(message.holder, 0, message.holder.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.holder) : message.holder;
                if (message.heldUntilMs != null && $Object.hasOwnProperty.call(message, "heldUntilMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.heldUntilMs = typeof message.heldUntilMs === "number" ? $BigInt(message.heldUntilMs) : $util.Long.fromBits(message.heldUntilMs.low >>> 0, message.heldUntilMs.high >>> 0, false).toBigInt();
                    else if (typeof message.heldUntilMs === "number")
                        object.heldUntilMs = options.longs === $String ? $String(message.heldUntilMs) : message.heldUntilMs;
                    else
                        object.heldUntilMs = options.longs === $String ? $util.Long.prototype.toString.call(message.heldUntilMs) : options.longs === $Number ? new $util.LongBits(message.heldUntilMs.low >>> 0, message.heldUntilMs.high >>> 0).toNumber() : message.heldUntilMs;
                if (message.tries != null && $Object.hasOwnProperty.call(message, "tries"))
                    object.tries = message.tries;
                if (message.failures != null && $Object.hasOwnProperty.call(message, "failures"))
                    object.failures = message.failures;
                if (message.lastFailure != null && $Object.hasOwnProperty.call(message, "lastFailure"))
                    object.lastFailure = message.lastFailure;
                if (message.lastMessage != null && $Object.hasOwnProperty.call(message, "lastMessage"))
                    object.lastMessage = message.lastMessage;
                if (message.done != null && $Object.hasOwnProperty.call(message, "done"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.done = typeof message.done === "number" ? $BigInt(message.done) : $util.Long.fromBits(message.done.low >>> 0, message.done.high >>> 0, false).toBigInt();
                    else if (typeof message.done === "number")
                        object.done = options.longs === $String ? $String(message.done) : message.done;
                    else
                        object.done = options.longs === $String ? $util.Long.prototype.toString.call(message.done) : options.longs === $Number ? new $util.LongBits(message.done.low >>> 0, message.done.high >>> 0).toNumber() : message.done;
                return object;
            };

            /**
             * Converts this JobSummary to JSON.
             * @function toJSON
             * @memberof firn.v1.JobSummary
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            JobSummary.prototype.toJSON = function() {
                return JobSummary.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for JobSummary
             * @function getTypeUrl
             * @memberof firn.v1.JobSummary
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            JobSummary.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.JobSummary";
            };

            return JobSummary;
        })();

        v1.MetricsReport = (function() {

            /**
             * Properties of a MetricsReport.
             * @typedef {Object} firn.v1.MetricsReport.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] MetricsReport envelope
             * @property {string|null} [report] MetricsReport report
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a MetricsReport.
             * @memberof firn.v1
             * @interface IMetricsReport
             * @augments firn.v1.MetricsReport.$Properties
             * @deprecated Use firn.v1.MetricsReport.$Properties instead.
             */

            /**
             * Shape of a MetricsReport.
             * @typedef {firn.v1.MetricsReport.$Properties} firn.v1.MetricsReport.$Shape
             */

            /**
             * Constructs a new MetricsReport.
             * @memberof firn.v1
             * @classdesc Represents a MetricsReport.
             * @constructor
             * @param {firn.v1.MetricsReport.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const MetricsReport = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * MetricsReport envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.MetricsReport
             * @instance
             */
            MetricsReport.prototype.envelope = null;

            /**
             * MetricsReport report.
             * @member {string} report
             * @memberof firn.v1.MetricsReport
             * @instance
             */
            MetricsReport.prototype.report = "";

            /**
             * Creates a new MetricsReport instance using the specified properties.
             * @function create
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {firn.v1.MetricsReport.$Properties=} [properties] Properties to set
             * @returns {firn.v1.MetricsReport} MetricsReport instance
             * @type {{
             *   (properties: firn.v1.MetricsReport.$Shape): firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape;
             *   (properties?: firn.v1.MetricsReport.$Properties): firn.v1.MetricsReport;
             * }}
             */
            MetricsReport.create = function(properties) {
                return new MetricsReport(properties);
            };

            /**
             * Encodes the specified MetricsReport message. Does not implicitly {@link firn.v1.MetricsReport.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {firn.v1.MetricsReport.$Properties} message MetricsReport message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            MetricsReport.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.report != null && $Object.hasOwnProperty.call(message, "report") && message.report !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.report);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified MetricsReport message, length delimited. Does not implicitly {@link firn.v1.MetricsReport.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {firn.v1.MetricsReport.$Properties} message MetricsReport message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            MetricsReport.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a MetricsReport message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape} MetricsReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            MetricsReport.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.MetricsReport();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.report = value;
                            else
                                delete message.report;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a MetricsReport message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.MetricsReport & firn.v1.MetricsReport.$Shape} MetricsReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            MetricsReport.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a MetricsReport message.
             * @function verify
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            MetricsReport.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.report != null && $Object.hasOwnProperty.call(message, "report"))
                    if (!$util.isString(message.report))
                        return "report: string expected";
                return null;
            };

            /**
             * Creates a MetricsReport message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.MetricsReport} MetricsReport
             */
            MetricsReport.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.MetricsReport)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.MetricsReport: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.MetricsReport();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.MetricsReport.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.report != null)
                    if (typeof object.report !== "string" || object.report.length)
                        message.report = $String(object.report);
                return message;
            };

            /**
             * Creates a plain object from a MetricsReport message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {firn.v1.MetricsReport} message MetricsReport
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            MetricsReport.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.envelope = null;
                    object.report = "";
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.report != null && $Object.hasOwnProperty.call(message, "report"))
                    object.report = message.report;
                return object;
            };

            /**
             * Converts this MetricsReport to JSON.
             * @function toJSON
             * @memberof firn.v1.MetricsReport
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            MetricsReport.prototype.toJSON = function() {
                return MetricsReport.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for MetricsReport
             * @function getTypeUrl
             * @memberof firn.v1.MetricsReport
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            MetricsReport.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.MetricsReport";
            };

            return MetricsReport;
        })();

        v1.Snapshot = (function() {

            /**
             * Properties of a Snapshot.
             * @typedef {Object} firn.v1.Snapshot.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Snapshot envelope
             * @property {Long|null} [snapshotId] Snapshot snapshotId
             * @property {Long|null} [parentSnapshotId] Snapshot parentSnapshotId
             * @property {Long|null} [sequenceNumber] Snapshot sequenceNumber
             * @property {Long|null} [timestampMs] Snapshot timestampMs
             * @property {number|null} [schemaId] Snapshot schemaId
             * @property {string|null} [manifestList] Snapshot manifestList
             * @property {string|null} [operation] Snapshot operation
             * @property {Object.<string,string>|null} [summary] Snapshot summary
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Snapshot.
             * @memberof firn.v1
             * @interface ISnapshot
             * @augments firn.v1.Snapshot.$Properties
             * @deprecated Use firn.v1.Snapshot.$Properties instead.
             */

            /**
             * Shape of a Snapshot.
             * @typedef {firn.v1.Snapshot.$Properties} firn.v1.Snapshot.$Shape
             */

            /**
             * Constructs a new Snapshot.
             * @memberof firn.v1
             * @classdesc Represents a Snapshot.
             * @constructor
             * @param {firn.v1.Snapshot.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Snapshot = function (properties) {
                this.summary = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Snapshot envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.envelope = null;

            /**
             * Snapshot snapshotId.
             * @member {Long} snapshotId
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Snapshot parentSnapshotId.
             * @member {Long|null|undefined} parentSnapshotId
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.parentSnapshotId = null;

            /**
             * Snapshot sequenceNumber.
             * @member {Long} sequenceNumber
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.sequenceNumber = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Snapshot timestampMs.
             * @member {Long} timestampMs
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.timestampMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Snapshot schemaId.
             * @member {number|null|undefined} schemaId
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.schemaId = null;

            /**
             * Snapshot manifestList.
             * @member {string} manifestList
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.manifestList = "";

            /**
             * Snapshot operation.
             * @member {string} operation
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.operation = "";

            /**
             * Snapshot summary.
             * @member {Object.<string,string>} summary
             * @memberof firn.v1.Snapshot
             * @instance
             */
            Snapshot.prototype.summary = $util.emptyObject;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(Snapshot.prototype, "_parentSnapshotId", {
                get: $util.oneOfGetter($oneOfFields = ["parentSnapshotId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(Snapshot.prototype, "_schemaId", {
                get: $util.oneOfGetter($oneOfFields = ["schemaId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new Snapshot instance using the specified properties.
             * @function create
             * @memberof firn.v1.Snapshot
             * @static
             * @param {firn.v1.Snapshot.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Snapshot} Snapshot instance
             * @type {{
             *   (properties: firn.v1.Snapshot.$Shape): firn.v1.Snapshot & firn.v1.Snapshot.$Shape;
             *   (properties?: firn.v1.Snapshot.$Properties): firn.v1.Snapshot;
             * }}
             */
            Snapshot.create = function(properties) {
                return new Snapshot(properties);
            };

            /**
             * Encodes the specified Snapshot message. Does not implicitly {@link firn.v1.Snapshot.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Snapshot
             * @static
             * @param {firn.v1.Snapshot.$Properties} message Snapshot message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Snapshot.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.snapshotId);
                if (message.parentSnapshotId != null && $Object.hasOwnProperty.call(message, "parentSnapshotId"))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.parentSnapshotId);
                if (message.sequenceNumber != null && $Object.hasOwnProperty.call(message, "sequenceNumber") && (typeof message.sequenceNumber === "object" ? message.sequenceNumber.low || message.sequenceNumber.high : message.sequenceNumber !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.sequenceNumber);
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs") && (typeof message.timestampMs === "object" ? message.timestampMs.low || message.timestampMs.high : message.timestampMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.timestampMs);
                if (message.schemaId != null && $Object.hasOwnProperty.call(message, "schemaId"))
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.schemaId);
                if (message.manifestList != null && $Object.hasOwnProperty.call(message, "manifestList") && message.manifestList !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.manifestList);
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation") && message.operation !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.operation);
                if (message.summary != null && $Object.hasOwnProperty.call(message, "summary"))
                    for (let keys = $Object.keys(message.summary), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 9, wireType 2 =*/74).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.summary[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Snapshot message, length delimited. Does not implicitly {@link firn.v1.Snapshot.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Snapshot
             * @static
             * @param {firn.v1.Snapshot.$Properties} message Snapshot message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Snapshot.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Snapshot message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Snapshot
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Snapshot & firn.v1.Snapshot.$Shape} Snapshot
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Snapshot.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Snapshot();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.parentSnapshotId = reader.int64();
                            message._parentSnapshotId = "parentSnapshotId";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sequenceNumber = value;
                            else
                                delete message.sequenceNumber;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.timestampMs = value;
                            else
                                delete message.timestampMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            message.schemaId = reader.int32();
                            message._schemaId = "schemaId";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.manifestList = value;
                            else
                                delete message.manifestList;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.operation = value;
                            else
                                delete message.operation;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if (message.summary === $util.emptyObject)
                                message.summary = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.summary, key);
                            message.summary[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Snapshot message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Snapshot
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Snapshot & firn.v1.Snapshot.$Shape} Snapshot
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Snapshot.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Snapshot message.
             * @function verify
             * @memberof firn.v1.Snapshot
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Snapshot.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                let properties = {};
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (!$util.isInteger(message.snapshotId) && !(message.snapshotId && $util.isInteger(message.snapshotId.low) && $util.isInteger(message.snapshotId.high)))
                        return "snapshotId: integer|Long expected";
                if (message.parentSnapshotId != null && $Object.hasOwnProperty.call(message, "parentSnapshotId")) {
                    properties._parentSnapshotId = 1;
                    if (!$util.isInteger(message.parentSnapshotId) && !(message.parentSnapshotId && $util.isInteger(message.parentSnapshotId.low) && $util.isInteger(message.parentSnapshotId.high)))
                        return "parentSnapshotId: integer|Long expected";
                }
                if (message.sequenceNumber != null && $Object.hasOwnProperty.call(message, "sequenceNumber"))
                    if (!$util.isInteger(message.sequenceNumber) && !(message.sequenceNumber && $util.isInteger(message.sequenceNumber.low) && $util.isInteger(message.sequenceNumber.high)))
                        return "sequenceNumber: integer|Long expected";
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs"))
                    if (!$util.isInteger(message.timestampMs) && !(message.timestampMs && $util.isInteger(message.timestampMs.low) && $util.isInteger(message.timestampMs.high)))
                        return "timestampMs: integer|Long expected";
                if (message.schemaId != null && $Object.hasOwnProperty.call(message, "schemaId")) {
                    properties._schemaId = 1;
                    if (!$util.isInteger(message.schemaId))
                        return "schemaId: integer expected";
                }
                if (message.manifestList != null && $Object.hasOwnProperty.call(message, "manifestList"))
                    if (!$util.isString(message.manifestList))
                        return "manifestList: string expected";
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation"))
                    if (!$util.isString(message.operation))
                        return "operation: string expected";
                if (message.summary != null && $Object.hasOwnProperty.call(message, "summary")) {
                    if (!$util.isObject(message.summary))
                        return "summary: object expected";
                    let key = $Object.keys(message.summary);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.summary[key[i]]))
                            return "summary: string{k:string} expected";
                }
                return null;
            };

            /**
             * Creates a Snapshot message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Snapshot
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Snapshot} Snapshot
             */
            Snapshot.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Snapshot)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Snapshot: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Snapshot();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Snapshot.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.snapshotId != null)
                    if (typeof object.snapshotId === "object" ? object.snapshotId.low || object.snapshotId.high : $Number(object.snapshotId) !== 0)
                        if ($util.Long)
                            message.snapshotId = $util.Long.fromValue(object.snapshotId, false);
                        else if (typeof object.snapshotId === "string")
                            message.snapshotId = $parseInt(object.snapshotId, 10);
                        else if (typeof object.snapshotId === "number")
                            message.snapshotId = object.snapshotId;
                        else if (typeof object.snapshotId === "object")
                            message.snapshotId = new $util.LongBits(object.snapshotId.low >>> 0, object.snapshotId.high >>> 0).toNumber();
                if (object.parentSnapshotId != null)
                    if ($util.Long)
                        message.parentSnapshotId = $util.Long.fromValue(object.parentSnapshotId, false);
                    else if (typeof object.parentSnapshotId === "string")
                        message.parentSnapshotId = $parseInt(object.parentSnapshotId, 10);
                    else if (typeof object.parentSnapshotId === "number")
                        message.parentSnapshotId = object.parentSnapshotId;
                    else if (typeof object.parentSnapshotId === "object")
                        message.parentSnapshotId = new $util.LongBits(object.parentSnapshotId.low >>> 0, object.parentSnapshotId.high >>> 0).toNumber();
                if (object.sequenceNumber != null)
                    if (typeof object.sequenceNumber === "object" ? object.sequenceNumber.low || object.sequenceNumber.high : $Number(object.sequenceNumber) !== 0)
                        if ($util.Long)
                            message.sequenceNumber = $util.Long.fromValue(object.sequenceNumber, false);
                        else if (typeof object.sequenceNumber === "string")
                            message.sequenceNumber = $parseInt(object.sequenceNumber, 10);
                        else if (typeof object.sequenceNumber === "number")
                            message.sequenceNumber = object.sequenceNumber;
                        else if (typeof object.sequenceNumber === "object")
                            message.sequenceNumber = new $util.LongBits(object.sequenceNumber.low >>> 0, object.sequenceNumber.high >>> 0).toNumber();
                if (object.timestampMs != null)
                    if (typeof object.timestampMs === "object" ? object.timestampMs.low || object.timestampMs.high : $Number(object.timestampMs) !== 0)
                        if ($util.Long)
                            message.timestampMs = $util.Long.fromValue(object.timestampMs, false);
                        else if (typeof object.timestampMs === "string")
                            message.timestampMs = $parseInt(object.timestampMs, 10);
                        else if (typeof object.timestampMs === "number")
                            message.timestampMs = object.timestampMs;
                        else if (typeof object.timestampMs === "object")
                            message.timestampMs = new $util.LongBits(object.timestampMs.low >>> 0, object.timestampMs.high >>> 0).toNumber();
                if (object.schemaId != null)
                    message.schemaId = object.schemaId | 0;
                if (object.manifestList != null)
                    if (typeof object.manifestList !== "string" || object.manifestList.length)
                        message.manifestList = $String(object.manifestList);
                if (object.operation != null)
                    if (typeof object.operation !== "string" || object.operation.length)
                        message.operation = $String(object.operation);
                if (object.summary) {
                    if (!$util.isObject(object.summary))
                        throw $TypeError(".firn.v1.Snapshot.summary: object expected");
                    message.summary = {};
                    for (let keys = $Object.keys(object.summary), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.summary, keys[i]);
                        message.summary[keys[i]] = $String(object.summary[keys[i]]);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a Snapshot message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Snapshot
             * @static
             * @param {firn.v1.Snapshot} message Snapshot
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Snapshot.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.objects || options.defaults)
                    object.summary = {};
                if (options.defaults) {
                    object.envelope = null;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.snapshotId = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.snapshotId = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.sequenceNumber = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.sequenceNumber = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.timestampMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.timestampMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.manifestList = "";
                    object.operation = "";
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.snapshotId = typeof message.snapshotId === "number" ? $BigInt(message.snapshotId) : $util.Long.fromBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.snapshotId === "number")
                        object.snapshotId = options.longs === $String ? $String(message.snapshotId) : message.snapshotId;
                    else
                        object.snapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.snapshotId) : options.longs === $Number ? new $util.LongBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0).toNumber() : message.snapshotId;
                if (message.parentSnapshotId != null && $Object.hasOwnProperty.call(message, "parentSnapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.parentSnapshotId = typeof message.parentSnapshotId === "number" ? $BigInt(message.parentSnapshotId) : $util.Long.fromBits(message.parentSnapshotId.low >>> 0, message.parentSnapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.parentSnapshotId === "number")
                        object.parentSnapshotId = options.longs === $String ? $String(message.parentSnapshotId) : message.parentSnapshotId;
                    else
                        object.parentSnapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.parentSnapshotId) : options.longs === $Number ? new $util.LongBits(message.parentSnapshotId.low >>> 0, message.parentSnapshotId.high >>> 0).toNumber() : message.parentSnapshotId;
                if (message.sequenceNumber != null && $Object.hasOwnProperty.call(message, "sequenceNumber"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.sequenceNumber = typeof message.sequenceNumber === "number" ? $BigInt(message.sequenceNumber) : $util.Long.fromBits(message.sequenceNumber.low >>> 0, message.sequenceNumber.high >>> 0, false).toBigInt();
                    else if (typeof message.sequenceNumber === "number")
                        object.sequenceNumber = options.longs === $String ? $String(message.sequenceNumber) : message.sequenceNumber;
                    else
                        object.sequenceNumber = options.longs === $String ? $util.Long.prototype.toString.call(message.sequenceNumber) : options.longs === $Number ? new $util.LongBits(message.sequenceNumber.low >>> 0, message.sequenceNumber.high >>> 0).toNumber() : message.sequenceNumber;
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.timestampMs = typeof message.timestampMs === "number" ? $BigInt(message.timestampMs) : $util.Long.fromBits(message.timestampMs.low >>> 0, message.timestampMs.high >>> 0, false).toBigInt();
                    else if (typeof message.timestampMs === "number")
                        object.timestampMs = options.longs === $String ? $String(message.timestampMs) : message.timestampMs;
                    else
                        object.timestampMs = options.longs === $String ? $util.Long.prototype.toString.call(message.timestampMs) : options.longs === $Number ? new $util.LongBits(message.timestampMs.low >>> 0, message.timestampMs.high >>> 0).toNumber() : message.timestampMs;
                if (message.schemaId != null && $Object.hasOwnProperty.call(message, "schemaId"))
                    object.schemaId = message.schemaId;
                if (message.manifestList != null && $Object.hasOwnProperty.call(message, "manifestList"))
                    object.manifestList = message.manifestList;
                if (message.operation != null && $Object.hasOwnProperty.call(message, "operation"))
                    object.operation = message.operation;
                let keys2;
                if (message.summary && (keys2 = $Object.keys(message.summary)).length) {
                    object.summary = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.summary, keys2[j]);
                        object.summary[keys2[j]] = message.summary[keys2[j]];
                    }
                }
                return object;
            };

            /**
             * Converts this Snapshot to JSON.
             * @function toJSON
             * @memberof firn.v1.Snapshot
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Snapshot.prototype.toJSON = function() {
                return Snapshot.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Snapshot
             * @function getTypeUrl
             * @memberof firn.v1.Snapshot
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Snapshot.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Snapshot";
            };

            return Snapshot;
        })();

        /**
         * TargetKind enum.
         * @name firn.v1.TargetKind
         * @enum {number}
         * @property {number} TARGET_KIND_UNSPECIFIED=0 TARGET_KIND_UNSPECIFIED value
         * @property {number} TARGET_KIND_TABLE=1 TARGET_KIND_TABLE value
         * @property {number} TARGET_KIND_COLUMN=2 TARGET_KIND_COLUMN value
         * @property {number} TARGET_KIND_EXPRESSION=3 TARGET_KIND_EXPRESSION value
         * @property {number} TARGET_KIND_FILE=4 TARGET_KIND_FILE value
         */
        v1.TargetKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "TARGET_KIND_UNSPECIFIED"] = 0;
            values[valuesById[1] = "TARGET_KIND_TABLE"] = 1;
            values[valuesById[2] = "TARGET_KIND_COLUMN"] = 2;
            values[valuesById[3] = "TARGET_KIND_EXPRESSION"] = 3;
            values[valuesById[4] = "TARGET_KIND_FILE"] = 4;
            return values;
        })();

        v1.StatsTarget = (function() {

            /**
             * Properties of a StatsTarget.
             * @typedef {Object} firn.v1.StatsTarget.$Properties
             * @property {firn.v1.TargetKind|null} [kind] StatsTarget kind
             * @property {number|null} [fieldId] StatsTarget fieldId
             * @property {string|null} [engine] StatsTarget engine
             * @property {string|null} [expression] StatsTarget expression
             * @property {string|null} [path] StatsTarget path
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StatsTarget.
             * @memberof firn.v1
             * @interface IStatsTarget
             * @augments firn.v1.StatsTarget.$Properties
             * @deprecated Use firn.v1.StatsTarget.$Properties instead.
             */

            /**
             * Shape of a StatsTarget.
             * @typedef {firn.v1.StatsTarget.$Properties} firn.v1.StatsTarget.$Shape
             */

            /**
             * Constructs a new StatsTarget.
             * @memberof firn.v1
             * @classdesc Represents a StatsTarget.
             * @constructor
             * @param {firn.v1.StatsTarget.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StatsTarget = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StatsTarget kind.
             * @member {firn.v1.TargetKind} kind
             * @memberof firn.v1.StatsTarget
             * @instance
             */
            StatsTarget.prototype.kind = 0;

            /**
             * StatsTarget fieldId.
             * @member {number} fieldId
             * @memberof firn.v1.StatsTarget
             * @instance
             */
            StatsTarget.prototype.fieldId = 0;

            /**
             * StatsTarget engine.
             * @member {string} engine
             * @memberof firn.v1.StatsTarget
             * @instance
             */
            StatsTarget.prototype.engine = "";

            /**
             * StatsTarget expression.
             * @member {string} expression
             * @memberof firn.v1.StatsTarget
             * @instance
             */
            StatsTarget.prototype.expression = "";

            /**
             * StatsTarget path.
             * @member {string} path
             * @memberof firn.v1.StatsTarget
             * @instance
             */
            StatsTarget.prototype.path = "";

            /**
             * Creates a new StatsTarget instance using the specified properties.
             * @function create
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {firn.v1.StatsTarget.$Properties=} [properties] Properties to set
             * @returns {firn.v1.StatsTarget} StatsTarget instance
             * @type {{
             *   (properties: firn.v1.StatsTarget.$Shape): firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape;
             *   (properties?: firn.v1.StatsTarget.$Properties): firn.v1.StatsTarget;
             * }}
             */
            StatsTarget.create = function(properties) {
                return new StatsTarget(properties);
            };

            /**
             * Encodes the specified StatsTarget message. Does not implicitly {@link firn.v1.StatsTarget.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {firn.v1.StatsTarget.$Properties} message StatsTarget message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StatsTarget.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.kind);
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId") && message.fieldId !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.fieldId);
                if (message.engine != null && $Object.hasOwnProperty.call(message, "engine") && message.engine !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.engine);
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression") && message.expression !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.expression);
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.path);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified StatsTarget message, length delimited. Does not implicitly {@link firn.v1.StatsTarget.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {firn.v1.StatsTarget.$Properties} message StatsTarget message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StatsTarget.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a StatsTarget message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape} StatsTarget
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StatsTarget.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.StatsTarget();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.fieldId = value;
                            else
                                delete message.fieldId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engine = value;
                            else
                                delete message.engine;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.expression = value;
                            else
                                delete message.expression;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a StatsTarget message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.StatsTarget & firn.v1.StatsTarget.$Shape} StatsTarget
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StatsTarget.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a StatsTarget message.
             * @function verify
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            StatsTarget.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    if (typeof message.kind !== "number" || (message.kind | 0) !== message.kind)
                        return "kind: enum value expected";
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId"))
                    if (!$util.isInteger(message.fieldId))
                        return "fieldId: integer expected";
                if (message.engine != null && $Object.hasOwnProperty.call(message, "engine"))
                    if (!$util.isString(message.engine))
                        return "engine: string expected";
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression"))
                    if (!$util.isString(message.expression))
                        return "expression: string expected";
                if (message.path != null && $Object.hasOwnProperty.call(message, "path"))
                    if (!$util.isString(message.path))
                        return "path: string expected";
                return null;
            };

            /**
             * Creates a StatsTarget message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.StatsTarget} StatsTarget
             */
            StatsTarget.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.StatsTarget)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.StatsTarget: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.StatsTarget();
                if (object.kind !== 0 && (typeof object.kind !== "string" || $root.firn.v1.TargetKind[object.kind] !== 0))
                    switch (object.kind) {
                    case "TARGET_KIND_UNSPECIFIED":
                    case 0:
                        message.kind = 0;
                        break;
                    case "TARGET_KIND_TABLE":
                    case 1:
                        message.kind = 1;
                        break;
                    case "TARGET_KIND_COLUMN":
                    case 2:
                        message.kind = 2;
                        break;
                    case "TARGET_KIND_EXPRESSION":
                    case 3:
                        message.kind = 3;
                        break;
                    case "TARGET_KIND_FILE":
                    case 4:
                        message.kind = 4;
                        break;
                    default:
                        if (typeof object.kind === "number" && (object.kind | 0) === object.kind)
                            message.kind = object.kind;
                    }
                if (object.fieldId != null)
                    if ($Number(object.fieldId) !== 0)
                        message.fieldId = object.fieldId | 0;
                if (object.engine != null)
                    if (typeof object.engine !== "string" || object.engine.length)
                        message.engine = $String(object.engine);
                if (object.expression != null)
                    if (typeof object.expression !== "string" || object.expression.length)
                        message.expression = $String(object.expression);
                if (object.path != null)
                    if (typeof object.path !== "string" || object.path.length)
                        message.path = $String(object.path);
                return message;
            };

            /**
             * Creates a plain object from a StatsTarget message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {firn.v1.StatsTarget} message StatsTarget
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            StatsTarget.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.kind = options.enums === $String ? "TARGET_KIND_UNSPECIFIED" : 0;
                    object.fieldId = 0;
                    object.engine = "";
                    object.expression = "";
                    object.path = "";
                }
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    object.kind = options.enums === $String ? $root.firn.v1.TargetKind[message.kind] === $undefined ? message.kind : $root.firn.v1.TargetKind[message.kind] : message.kind;
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId"))
                    object.fieldId = message.fieldId;
                if (message.engine != null && $Object.hasOwnProperty.call(message, "engine"))
                    object.engine = message.engine;
                if (message.expression != null && $Object.hasOwnProperty.call(message, "expression"))
                    object.expression = message.expression;
                if (message.path != null && $Object.hasOwnProperty.call(message, "path"))
                    object.path = message.path;
                return object;
            };

            /**
             * Converts this StatsTarget to JSON.
             * @function toJSON
             * @memberof firn.v1.StatsTarget
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            StatsTarget.prototype.toJSON = function() {
                return StatsTarget.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for StatsTarget
             * @function getTypeUrl
             * @memberof firn.v1.StatsTarget
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            StatsTarget.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.StatsTarget";
            };

            return StatsTarget;
        })();

        v1.DistinctValues = (function() {

            /**
             * Properties of a DistinctValues.
             * @typedef {Object} firn.v1.DistinctValues.$Properties
             * @property {Long|null} [count] DistinctValues count
             * @property {boolean|null} [exact] DistinctValues exact
             * @property {number|null} [error] DistinctValues error
             * @property {Uint8Array|null} [theta] DistinctValues theta
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DistinctValues.
             * @memberof firn.v1
             * @interface IDistinctValues
             * @augments firn.v1.DistinctValues.$Properties
             * @deprecated Use firn.v1.DistinctValues.$Properties instead.
             */

            /**
             * Shape of a DistinctValues.
             * @typedef {firn.v1.DistinctValues.$Properties} firn.v1.DistinctValues.$Shape
             */

            /**
             * Constructs a new DistinctValues.
             * @memberof firn.v1
             * @classdesc Represents a DistinctValues.
             * @constructor
             * @param {firn.v1.DistinctValues.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DistinctValues = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DistinctValues count.
             * @member {Long} count
             * @memberof firn.v1.DistinctValues
             * @instance
             */
            DistinctValues.prototype.count = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * DistinctValues exact.
             * @member {boolean} exact
             * @memberof firn.v1.DistinctValues
             * @instance
             */
            DistinctValues.prototype.exact = false;

            /**
             * DistinctValues error.
             * @member {number|null|undefined} error
             * @memberof firn.v1.DistinctValues
             * @instance
             */
            DistinctValues.prototype.error = null;

            /**
             * DistinctValues theta.
             * @member {Uint8Array} theta
             * @memberof firn.v1.DistinctValues
             * @instance
             */
            DistinctValues.prototype.theta = $util.newBuffer([]);

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(DistinctValues.prototype, "_error", {
                get: $util.oneOfGetter($oneOfFields = ["error"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new DistinctValues instance using the specified properties.
             * @function create
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {firn.v1.DistinctValues.$Properties=} [properties] Properties to set
             * @returns {firn.v1.DistinctValues} DistinctValues instance
             * @type {{
             *   (properties: firn.v1.DistinctValues.$Shape): firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape;
             *   (properties?: firn.v1.DistinctValues.$Properties): firn.v1.DistinctValues;
             * }}
             */
            DistinctValues.create = function(properties) {
                return new DistinctValues(properties);
            };

            /**
             * Encodes the specified DistinctValues message. Does not implicitly {@link firn.v1.DistinctValues.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {firn.v1.DistinctValues.$Properties} message DistinctValues message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DistinctValues.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.count != null && $Object.hasOwnProperty.call(message, "count") && (typeof message.count === "object" ? message.count.low || message.count.high : message.count !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).int64(message.count);
                if (message.exact != null && $Object.hasOwnProperty.call(message, "exact") && message.exact !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.exact);
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.error);
                if (message.theta != null && $Object.hasOwnProperty.call(message, "theta") && message.theta.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.theta);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified DistinctValues message, length delimited. Does not implicitly {@link firn.v1.DistinctValues.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {firn.v1.DistinctValues.$Properties} message DistinctValues message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DistinctValues.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a DistinctValues message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape} DistinctValues
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DistinctValues.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.DistinctValues();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.count = value;
                            else
                                delete message.count;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.exact = value;
                            else
                                delete message.exact;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            message.error = reader.double();
                            message._error = "error";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.theta = value;
                            else
                                delete message.theta;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a DistinctValues message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.DistinctValues & firn.v1.DistinctValues.$Shape} DistinctValues
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DistinctValues.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a DistinctValues message.
             * @function verify
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            DistinctValues.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                let properties = {};
                if (message.count != null && $Object.hasOwnProperty.call(message, "count"))
                    if (!$util.isInteger(message.count) && !(message.count && $util.isInteger(message.count.low) && $util.isInteger(message.count.high)))
                        return "count: integer|Long expected";
                if (message.exact != null && $Object.hasOwnProperty.call(message, "exact"))
                    if (typeof message.exact !== "boolean")
                        return "exact: boolean expected";
                if (message.error != null && $Object.hasOwnProperty.call(message, "error")) {
                    properties._error = 1;
                    if (typeof message.error !== "number")
                        return "error: number expected";
                }
                if (message.theta != null && $Object.hasOwnProperty.call(message, "theta"))
                    if (!(message.theta && typeof message.theta.length === "number" || $util.isString(message.theta)))
                        return "theta: buffer expected";
                return null;
            };

            /**
             * Creates a DistinctValues message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.DistinctValues} DistinctValues
             */
            DistinctValues.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.DistinctValues)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.DistinctValues: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.DistinctValues();
                if (object.count != null)
                    if (typeof object.count === "object" ? object.count.low || object.count.high : $Number(object.count) !== 0)
                        if ($util.Long)
                            message.count = $util.Long.fromValue(object.count, false);
                        else if (typeof object.count === "string")
                            message.count = $parseInt(object.count, 10);
                        else if (typeof object.count === "number")
                            message.count = object.count;
                        else if (typeof object.count === "object")
                            message.count = new $util.LongBits(object.count.low >>> 0, object.count.high >>> 0).toNumber();
                if (object.exact != null)
                    if (object.exact)
                        message.exact = $Boolean(object.exact);
                if (object.error != null)
                    message.error = $Number(object.error);
                if (object.theta != null)
                    if (object.theta.length)
                        if (typeof object.theta === "string")
                            $util.base64.decode(object.theta, message.theta = $util.newBuffer($util.base64.length(object.theta)), 0);
                        else if (object.theta.length >= 0)
                            message.theta = object.theta;
                return message;
            };

            /**
             * Creates a plain object from a DistinctValues message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {firn.v1.DistinctValues} message DistinctValues
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            DistinctValues.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.count = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.count = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.exact = false;
                    if (options.bytes === $String)
                        object.theta = "";
                    else {
                        object.theta = [];
                        if (options.bytes !== $Array)
                            object.theta = $util.newBuffer(object.theta);
                    }
                }
                if (message.count != null && $Object.hasOwnProperty.call(message, "count"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.count = typeof message.count === "number" ? $BigInt(message.count) : $util.Long.fromBits(message.count.low >>> 0, message.count.high >>> 0, false).toBigInt();
                    else if (typeof message.count === "number")
                        object.count = options.longs === $String ? $String(message.count) : message.count;
                    else
                        object.count = options.longs === $String ? $util.Long.prototype.toString.call(message.count) : options.longs === $Number ? new $util.LongBits(message.count.low >>> 0, message.count.high >>> 0).toNumber() : message.count;
                if (message.exact != null && $Object.hasOwnProperty.call(message, "exact"))
                    object.exact = message.exact;
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    object.error = options.json && !$isFinite(message.error) ? $String(message.error) : message.error;
                if (message.theta != null && $Object.hasOwnProperty.call(message, "theta"))
                    object.theta = options.bytes === $String ? $util.base64.encode(message.theta, 0, message.theta.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.theta) : message.theta;
                return object;
            };

            /**
             * Converts this DistinctValues to JSON.
             * @function toJSON
             * @memberof firn.v1.DistinctValues
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            DistinctValues.prototype.toJSON = function() {
                return DistinctValues.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for DistinctValues
             * @function getTypeUrl
             * @memberof firn.v1.DistinctValues
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            DistinctValues.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.DistinctValues";
            };

            return DistinctValues;
        })();

        v1.TargetStats = (function() {

            /**
             * Properties of a TargetStats.
             * @typedef {Object} firn.v1.TargetStats.$Properties
             * @property {firn.v1.StatsTarget.$Properties|null} [target] TargetStats target
             * @property {Long|null} [rowCount] TargetStats rowCount
             * @property {Long|null} [nullCount] TargetStats nullCount
             * @property {Long|null} [nanCount] TargetStats nanCount
             * @property {string|null} [min] TargetStats min
             * @property {string|null} [max] TargetStats max
             * @property {number|null} [averageWidth] TargetStats averageWidth
             * @property {firn.v1.DistinctValues.$Properties|null} [distinct] TargetStats distinct
             * @property {string|null} [histogram] TargetStats histogram
             * @property {Uint8Array|null} [kll] TargetStats kll
             * @property {string|null} [producer] TargetStats producer
             * @property {boolean|null} [complete] TargetStats complete
             * @property {number|null} [coverage] TargetStats coverage
             * @property {Object.<string,string>|null} [properties] TargetStats properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TargetStats.
             * @memberof firn.v1
             * @interface ITargetStats
             * @augments firn.v1.TargetStats.$Properties
             * @deprecated Use firn.v1.TargetStats.$Properties instead.
             */

            /**
             * Shape of a TargetStats.
             * @typedef {firn.v1.TargetStats.$Properties} firn.v1.TargetStats.$Shape
             */

            /**
             * Constructs a new TargetStats.
             * @memberof firn.v1
             * @classdesc Represents a TargetStats.
             * @constructor
             * @param {firn.v1.TargetStats.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TargetStats = function (properties) {
                this.properties = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TargetStats target.
             * @member {firn.v1.StatsTarget.$Properties|null|undefined} target
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.target = null;

            /**
             * TargetStats rowCount.
             * @member {Long|null|undefined} rowCount
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.rowCount = null;

            /**
             * TargetStats nullCount.
             * @member {Long|null|undefined} nullCount
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.nullCount = null;

            /**
             * TargetStats nanCount.
             * @member {Long|null|undefined} nanCount
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.nanCount = null;

            /**
             * TargetStats min.
             * @member {string|null|undefined} min
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.min = null;

            /**
             * TargetStats max.
             * @member {string|null|undefined} max
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.max = null;

            /**
             * TargetStats averageWidth.
             * @member {number|null|undefined} averageWidth
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.averageWidth = null;

            /**
             * TargetStats distinct.
             * @member {firn.v1.DistinctValues.$Properties|null|undefined} distinct
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.distinct = null;

            /**
             * TargetStats histogram.
             * @member {string} histogram
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.histogram = "";

            /**
             * TargetStats kll.
             * @member {Uint8Array} kll
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.kll = $util.newBuffer([]);

            /**
             * TargetStats producer.
             * @member {string} producer
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.producer = "";

            /**
             * TargetStats complete.
             * @member {boolean} complete
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.complete = false;

            /**
             * TargetStats coverage.
             * @member {number|null|undefined} coverage
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.coverage = null;

            /**
             * TargetStats properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.TargetStats
             * @instance
             */
            TargetStats.prototype.properties = $util.emptyObject;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_rowCount", {
                get: $util.oneOfGetter($oneOfFields = ["rowCount"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_nullCount", {
                get: $util.oneOfGetter($oneOfFields = ["nullCount"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_nanCount", {
                get: $util.oneOfGetter($oneOfFields = ["nanCount"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_min", {
                get: $util.oneOfGetter($oneOfFields = ["min"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_max", {
                get: $util.oneOfGetter($oneOfFields = ["max"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_averageWidth", {
                get: $util.oneOfGetter($oneOfFields = ["averageWidth"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(TargetStats.prototype, "_coverage", {
                get: $util.oneOfGetter($oneOfFields = ["coverage"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new TargetStats instance using the specified properties.
             * @function create
             * @memberof firn.v1.TargetStats
             * @static
             * @param {firn.v1.TargetStats.$Properties=} [properties] Properties to set
             * @returns {firn.v1.TargetStats} TargetStats instance
             * @type {{
             *   (properties: firn.v1.TargetStats.$Shape): firn.v1.TargetStats & firn.v1.TargetStats.$Shape;
             *   (properties?: firn.v1.TargetStats.$Properties): firn.v1.TargetStats;
             * }}
             */
            TargetStats.create = function(properties) {
                return new TargetStats(properties);
            };

            /**
             * Encodes the specified TargetStats message. Does not implicitly {@link firn.v1.TargetStats.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.TargetStats
             * @static
             * @param {firn.v1.TargetStats.$Properties} message TargetStats message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TargetStats.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.target != null && $Object.hasOwnProperty.call(message, "target"))
                    $root.firn.v1.StatsTarget.encode(message.target, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.rowCount != null && $Object.hasOwnProperty.call(message, "rowCount"))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.rowCount);
                if (message.nullCount != null && $Object.hasOwnProperty.call(message, "nullCount"))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.nullCount);
                if (message.nanCount != null && $Object.hasOwnProperty.call(message, "nanCount"))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.nanCount);
                if (message.min != null && $Object.hasOwnProperty.call(message, "min"))
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.min);
                if (message.max != null && $Object.hasOwnProperty.call(message, "max"))
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.max);
                if (message.averageWidth != null && $Object.hasOwnProperty.call(message, "averageWidth"))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.averageWidth);
                if (message.distinct != null && $Object.hasOwnProperty.call(message, "distinct"))
                    $root.firn.v1.DistinctValues.encode(message.distinct, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.histogram != null && $Object.hasOwnProperty.call(message, "histogram") && message.histogram !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.histogram);
                if (message.kll != null && $Object.hasOwnProperty.call(message, "kll") && message.kll.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.kll);
                if (message.producer != null && $Object.hasOwnProperty.call(message, "producer") && message.producer !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.producer);
                if (message.complete != null && $Object.hasOwnProperty.call(message, "complete") && message.complete !== false)
                    writer.uint32(/* id 12, wireType 0 =*/96).bool(message.complete);
                if (message.coverage != null && $Object.hasOwnProperty.call(message, "coverage"))
                    writer.uint32(/* id 13, wireType 1 =*/105).double(message.coverage);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 14, wireType 2 =*/114).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified TargetStats message, length delimited. Does not implicitly {@link firn.v1.TargetStats.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.TargetStats
             * @static
             * @param {firn.v1.TargetStats.$Properties} message TargetStats message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TargetStats.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a TargetStats message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.TargetStats
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.TargetStats & firn.v1.TargetStats.$Shape} TargetStats
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TargetStats.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.TargetStats();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.target = $root.firn.v1.StatsTarget.decode(reader, reader.size(), $undefined, _depth + 1, message.target);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.rowCount = reader.int64();
                            message._rowCount = "rowCount";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.nullCount = reader.int64();
                            message._nullCount = "nullCount";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            message.nanCount = reader.int64();
                            message._nanCount = "nanCount";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.min = reader.stringVerify();
                            message._min = "min";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.max = reader.stringVerify();
                            message._max = "max";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            message.averageWidth = reader.double();
                            message._averageWidth = "averageWidth";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.distinct = $root.firn.v1.DistinctValues.decode(reader, reader.size(), $undefined, _depth + 1, message.distinct);
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.histogram = value;
                            else
                                delete message.histogram;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.kll = value;
                            else
                                delete message.kll;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.producer = value;
                            else
                                delete message.producer;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.complete = value;
                            else
                                delete message.complete;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 1)
                                break;
                            message.coverage = reader.double();
                            message._coverage = "coverage";
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a TargetStats message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.TargetStats
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.TargetStats & firn.v1.TargetStats.$Shape} TargetStats
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TargetStats.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a TargetStats message.
             * @function verify
             * @memberof firn.v1.TargetStats
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            TargetStats.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                let properties = {};
                if (message.target != null && $Object.hasOwnProperty.call(message, "target")) {
                    let error = $root.firn.v1.StatsTarget.verify(message.target, _depth + 1);
                    if (error)
                        return "target." + error;
                }
                if (message.rowCount != null && $Object.hasOwnProperty.call(message, "rowCount")) {
                    properties._rowCount = 1;
                    if (!$util.isInteger(message.rowCount) && !(message.rowCount && $util.isInteger(message.rowCount.low) && $util.isInteger(message.rowCount.high)))
                        return "rowCount: integer|Long expected";
                }
                if (message.nullCount != null && $Object.hasOwnProperty.call(message, "nullCount")) {
                    properties._nullCount = 1;
                    if (!$util.isInteger(message.nullCount) && !(message.nullCount && $util.isInteger(message.nullCount.low) && $util.isInteger(message.nullCount.high)))
                        return "nullCount: integer|Long expected";
                }
                if (message.nanCount != null && $Object.hasOwnProperty.call(message, "nanCount")) {
                    properties._nanCount = 1;
                    if (!$util.isInteger(message.nanCount) && !(message.nanCount && $util.isInteger(message.nanCount.low) && $util.isInteger(message.nanCount.high)))
                        return "nanCount: integer|Long expected";
                }
                if (message.min != null && $Object.hasOwnProperty.call(message, "min")) {
                    properties._min = 1;
                    if (!$util.isString(message.min))
                        return "min: string expected";
                }
                if (message.max != null && $Object.hasOwnProperty.call(message, "max")) {
                    properties._max = 1;
                    if (!$util.isString(message.max))
                        return "max: string expected";
                }
                if (message.averageWidth != null && $Object.hasOwnProperty.call(message, "averageWidth")) {
                    properties._averageWidth = 1;
                    if (typeof message.averageWidth !== "number")
                        return "averageWidth: number expected";
                }
                if (message.distinct != null && $Object.hasOwnProperty.call(message, "distinct")) {
                    let error = $root.firn.v1.DistinctValues.verify(message.distinct, _depth + 1);
                    if (error)
                        return "distinct." + error;
                }
                if (message.histogram != null && $Object.hasOwnProperty.call(message, "histogram"))
                    if (!$util.isString(message.histogram))
                        return "histogram: string expected";
                if (message.kll != null && $Object.hasOwnProperty.call(message, "kll"))
                    if (!(message.kll && typeof message.kll.length === "number" || $util.isString(message.kll)))
                        return "kll: buffer expected";
                if (message.producer != null && $Object.hasOwnProperty.call(message, "producer"))
                    if (!$util.isString(message.producer))
                        return "producer: string expected";
                if (message.complete != null && $Object.hasOwnProperty.call(message, "complete"))
                    if (typeof message.complete !== "boolean")
                        return "complete: boolean expected";
                if (message.coverage != null && $Object.hasOwnProperty.call(message, "coverage")) {
                    properties._coverage = 1;
                    if (typeof message.coverage !== "number")
                        return "coverage: number expected";
                }
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                return null;
            };

            /**
             * Creates a TargetStats message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.TargetStats
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.TargetStats} TargetStats
             */
            TargetStats.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.TargetStats)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.TargetStats: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.TargetStats();
                if (object.target != null) {
                    if (!$util.isObject(object.target))
                        throw $TypeError(".firn.v1.TargetStats.target: object expected");
                    message.target = $root.firn.v1.StatsTarget.fromObject(object.target, _depth + 1);
                }
                if (object.rowCount != null)
                    if ($util.Long)
                        message.rowCount = $util.Long.fromValue(object.rowCount, false);
                    else if (typeof object.rowCount === "string")
                        message.rowCount = $parseInt(object.rowCount, 10);
                    else if (typeof object.rowCount === "number")
                        message.rowCount = object.rowCount;
                    else if (typeof object.rowCount === "object")
                        message.rowCount = new $util.LongBits(object.rowCount.low >>> 0, object.rowCount.high >>> 0).toNumber();
                if (object.nullCount != null)
                    if ($util.Long)
                        message.nullCount = $util.Long.fromValue(object.nullCount, false);
                    else if (typeof object.nullCount === "string")
                        message.nullCount = $parseInt(object.nullCount, 10);
                    else if (typeof object.nullCount === "number")
                        message.nullCount = object.nullCount;
                    else if (typeof object.nullCount === "object")
                        message.nullCount = new $util.LongBits(object.nullCount.low >>> 0, object.nullCount.high >>> 0).toNumber();
                if (object.nanCount != null)
                    if ($util.Long)
                        message.nanCount = $util.Long.fromValue(object.nanCount, false);
                    else if (typeof object.nanCount === "string")
                        message.nanCount = $parseInt(object.nanCount, 10);
                    else if (typeof object.nanCount === "number")
                        message.nanCount = object.nanCount;
                    else if (typeof object.nanCount === "object")
                        message.nanCount = new $util.LongBits(object.nanCount.low >>> 0, object.nanCount.high >>> 0).toNumber();
                if (object.min != null)
                    message.min = $String(object.min);
                if (object.max != null)
                    message.max = $String(object.max);
                if (object.averageWidth != null)
                    message.averageWidth = $Number(object.averageWidth);
                if (object.distinct != null) {
                    if (!$util.isObject(object.distinct))
                        throw $TypeError(".firn.v1.TargetStats.distinct: object expected");
                    message.distinct = $root.firn.v1.DistinctValues.fromObject(object.distinct, _depth + 1);
                }
                if (object.histogram != null)
                    if (typeof object.histogram !== "string" || object.histogram.length)
                        message.histogram = $String(object.histogram);
                if (object.kll != null)
                    if (object.kll.length)
                        if (typeof object.kll === "string")
                            $util.base64.decode(object.kll, message.kll = $util.newBuffer($util.base64.length(object.kll)), 0);
                        else if (object.kll.length >= 0)
                            message.kll = object.kll;
                if (object.producer != null)
                    if (typeof object.producer !== "string" || object.producer.length)
                        message.producer = $String(object.producer);
                if (object.complete != null)
                    if (object.complete)
                        message.complete = $Boolean(object.complete);
                if (object.coverage != null)
                    message.coverage = $Number(object.coverage);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.TargetStats.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a TargetStats message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.TargetStats
             * @static
             * @param {firn.v1.TargetStats} message TargetStats
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            TargetStats.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.objects || options.defaults)
                    object.properties = {};
                if (options.defaults) {
                    object.target = null;
                    object.distinct = null;
                    object.histogram = "";
                    if (options.bytes === $String)
                        object.kll = "";
                    else {
                        object.kll = [];
                        if (options.bytes !== $Array)
                            object.kll = $util.newBuffer(object.kll);
                    }
                    object.producer = "";
                    object.complete = false;
                }
                if (message.target != null && $Object.hasOwnProperty.call(message, "target"))
                    object.target = $root.firn.v1.StatsTarget.toObject(message.target, options, _depth + 1);
                if (message.rowCount != null && $Object.hasOwnProperty.call(message, "rowCount"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.rowCount = typeof message.rowCount === "number" ? $BigInt(message.rowCount) : $util.Long.fromBits(message.rowCount.low >>> 0, message.rowCount.high >>> 0, false).toBigInt();
                    else if (typeof message.rowCount === "number")
                        object.rowCount = options.longs === $String ? $String(message.rowCount) : message.rowCount;
                    else
                        object.rowCount = options.longs === $String ? $util.Long.prototype.toString.call(message.rowCount) : options.longs === $Number ? new $util.LongBits(message.rowCount.low >>> 0, message.rowCount.high >>> 0).toNumber() : message.rowCount;
                if (message.nullCount != null && $Object.hasOwnProperty.call(message, "nullCount"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.nullCount = typeof message.nullCount === "number" ? $BigInt(message.nullCount) : $util.Long.fromBits(message.nullCount.low >>> 0, message.nullCount.high >>> 0, false).toBigInt();
                    else if (typeof message.nullCount === "number")
                        object.nullCount = options.longs === $String ? $String(message.nullCount) : message.nullCount;
                    else
                        object.nullCount = options.longs === $String ? $util.Long.prototype.toString.call(message.nullCount) : options.longs === $Number ? new $util.LongBits(message.nullCount.low >>> 0, message.nullCount.high >>> 0).toNumber() : message.nullCount;
                if (message.nanCount != null && $Object.hasOwnProperty.call(message, "nanCount"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.nanCount = typeof message.nanCount === "number" ? $BigInt(message.nanCount) : $util.Long.fromBits(message.nanCount.low >>> 0, message.nanCount.high >>> 0, false).toBigInt();
                    else if (typeof message.nanCount === "number")
                        object.nanCount = options.longs === $String ? $String(message.nanCount) : message.nanCount;
                    else
                        object.nanCount = options.longs === $String ? $util.Long.prototype.toString.call(message.nanCount) : options.longs === $Number ? new $util.LongBits(message.nanCount.low >>> 0, message.nanCount.high >>> 0).toNumber() : message.nanCount;
                if (message.min != null && $Object.hasOwnProperty.call(message, "min"))
                    object.min = message.min;
                if (message.max != null && $Object.hasOwnProperty.call(message, "max"))
                    object.max = message.max;
                if (message.averageWidth != null && $Object.hasOwnProperty.call(message, "averageWidth"))
                    object.averageWidth = options.json && !$isFinite(message.averageWidth) ? $String(message.averageWidth) : message.averageWidth;
                if (message.distinct != null && $Object.hasOwnProperty.call(message, "distinct"))
                    object.distinct = $root.firn.v1.DistinctValues.toObject(message.distinct, options, _depth + 1);
                if (message.histogram != null && $Object.hasOwnProperty.call(message, "histogram"))
                    object.histogram = message.histogram;
                if (message.kll != null && $Object.hasOwnProperty.call(message, "kll"))
                    object.kll = options.bytes === $String ? $util.base64.encode(message.kll, 0, message.kll.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.kll) : message.kll;
                if (message.producer != null && $Object.hasOwnProperty.call(message, "producer"))
                    object.producer = message.producer;
                if (message.complete != null && $Object.hasOwnProperty.call(message, "complete"))
                    object.complete = message.complete;
                if (message.coverage != null && $Object.hasOwnProperty.call(message, "coverage"))
                    object.coverage = options.json && !$isFinite(message.coverage) ? $String(message.coverage) : message.coverage;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                return object;
            };

            /**
             * Converts this TargetStats to JSON.
             * @function toJSON
             * @memberof firn.v1.TargetStats
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            TargetStats.prototype.toJSON = function() {
                return TargetStats.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for TargetStats
             * @function getTypeUrl
             * @memberof firn.v1.TargetStats
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            TargetStats.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.TargetStats";
            };

            return TargetStats;
        })();

        v1.StatsPack = (function() {

            /**
             * Properties of a StatsPack.
             * @typedef {Object} firn.v1.StatsPack.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] StatsPack envelope
             * @property {Long|null} [snapshotId] StatsPack snapshotId
             * @property {Array.<firn.v1.TargetStats.$Properties>|null} [stats] StatsPack stats
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StatsPack.
             * @memberof firn.v1
             * @interface IStatsPack
             * @augments firn.v1.StatsPack.$Properties
             * @deprecated Use firn.v1.StatsPack.$Properties instead.
             */

            /**
             * Shape of a StatsPack.
             * @typedef {firn.v1.StatsPack.$Properties} firn.v1.StatsPack.$Shape
             */

            /**
             * Constructs a new StatsPack.
             * @memberof firn.v1
             * @classdesc Represents a StatsPack.
             * @constructor
             * @param {firn.v1.StatsPack.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StatsPack = function (properties) {
                this.stats = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StatsPack envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.StatsPack
             * @instance
             */
            StatsPack.prototype.envelope = null;

            /**
             * StatsPack snapshotId.
             * @member {Long} snapshotId
             * @memberof firn.v1.StatsPack
             * @instance
             */
            StatsPack.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * StatsPack stats.
             * @member {Array.<firn.v1.TargetStats.$Properties>} stats
             * @memberof firn.v1.StatsPack
             * @instance
             */
            StatsPack.prototype.stats = $util.emptyArray;

            /**
             * Creates a new StatsPack instance using the specified properties.
             * @function create
             * @memberof firn.v1.StatsPack
             * @static
             * @param {firn.v1.StatsPack.$Properties=} [properties] Properties to set
             * @returns {firn.v1.StatsPack} StatsPack instance
             * @type {{
             *   (properties: firn.v1.StatsPack.$Shape): firn.v1.StatsPack & firn.v1.StatsPack.$Shape;
             *   (properties?: firn.v1.StatsPack.$Properties): firn.v1.StatsPack;
             * }}
             */
            StatsPack.create = function(properties) {
                return new StatsPack(properties);
            };

            /**
             * Encodes the specified StatsPack message. Does not implicitly {@link firn.v1.StatsPack.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.StatsPack
             * @static
             * @param {firn.v1.StatsPack.$Properties} message StatsPack message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StatsPack.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.snapshotId);
                if (message.stats != null && message.stats.length)
                    for (let i = 0; i < message.stats.length; ++i)
                        $root.firn.v1.TargetStats.encode(message.stats[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified StatsPack message, length delimited. Does not implicitly {@link firn.v1.StatsPack.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.StatsPack
             * @static
             * @param {firn.v1.StatsPack.$Properties} message StatsPack message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StatsPack.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a StatsPack message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.StatsPack
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.StatsPack & firn.v1.StatsPack.$Shape} StatsPack
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StatsPack.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.StatsPack();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.stats && message.stats.length))
                                message.stats = [];
                            message.stats.push($root.firn.v1.TargetStats.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a StatsPack message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.StatsPack
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.StatsPack & firn.v1.StatsPack.$Shape} StatsPack
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StatsPack.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a StatsPack message.
             * @function verify
             * @memberof firn.v1.StatsPack
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            StatsPack.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (!$util.isInteger(message.snapshotId) && !(message.snapshotId && $util.isInteger(message.snapshotId.low) && $util.isInteger(message.snapshotId.high)))
                        return "snapshotId: integer|Long expected";
                if (message.stats != null && $Object.hasOwnProperty.call(message, "stats")) {
                    if (!$Array.isArray(message.stats))
                        return "stats: array expected";
                    for (let i = 0; i < message.stats.length; ++i) {
                        let error = $root.firn.v1.TargetStats.verify(message.stats[i], _depth + 1);
                        if (error)
                            return "stats." + error;
                    }
                }
                return null;
            };

            /**
             * Creates a StatsPack message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.StatsPack
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.StatsPack} StatsPack
             */
            StatsPack.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.StatsPack)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.StatsPack: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.StatsPack();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.StatsPack.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.snapshotId != null)
                    if (typeof object.snapshotId === "object" ? object.snapshotId.low || object.snapshotId.high : $Number(object.snapshotId) !== 0)
                        if ($util.Long)
                            message.snapshotId = $util.Long.fromValue(object.snapshotId, false);
                        else if (typeof object.snapshotId === "string")
                            message.snapshotId = $parseInt(object.snapshotId, 10);
                        else if (typeof object.snapshotId === "number")
                            message.snapshotId = object.snapshotId;
                        else if (typeof object.snapshotId === "object")
                            message.snapshotId = new $util.LongBits(object.snapshotId.low >>> 0, object.snapshotId.high >>> 0).toNumber();
                if (object.stats) {
                    if (!$Array.isArray(object.stats))
                        throw $TypeError(".firn.v1.StatsPack.stats: array expected");
                    message.stats = $Array(object.stats.length);
                    for (let i = 0; i < object.stats.length; ++i) {
                        if (!$util.isObject(object.stats[i]))
                            throw $TypeError(".firn.v1.StatsPack.stats: object expected");
                        message.stats[i] = $root.firn.v1.TargetStats.fromObject(object.stats[i], _depth + 1);
                    }
                }
                return message;
            };

            /**
             * Creates a plain object from a StatsPack message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.StatsPack
             * @static
             * @param {firn.v1.StatsPack} message StatsPack
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            StatsPack.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.stats = [];
                if (options.defaults) {
                    object.envelope = null;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.snapshotId = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.snapshotId = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.snapshotId = typeof message.snapshotId === "number" ? $BigInt(message.snapshotId) : $util.Long.fromBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.snapshotId === "number")
                        object.snapshotId = options.longs === $String ? $String(message.snapshotId) : message.snapshotId;
                    else
                        object.snapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.snapshotId) : options.longs === $Number ? new $util.LongBits(message.snapshotId.low >>> 0, message.snapshotId.high >>> 0).toNumber() : message.snapshotId;
                if (message.stats && message.stats.length) {
                    object.stats = $Array(message.stats.length);
                    for (let j = 0; j < message.stats.length; ++j)
                        object.stats[j] = $root.firn.v1.TargetStats.toObject(message.stats[j], options, _depth + 1);
                }
                return object;
            };

            /**
             * Converts this StatsPack to JSON.
             * @function toJSON
             * @memberof firn.v1.StatsPack
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            StatsPack.prototype.toJSON = function() {
                return StatsPack.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for StatsPack
             * @function getTypeUrl
             * @memberof firn.v1.StatsPack
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            StatsPack.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.StatsPack";
            };

            return StatsPack;
        })();

        v1.IcebergTable = (function() {

            /**
             * Properties of an IcebergTable.
             * @typedef {Object} firn.v1.IcebergTable.$Properties
             * @property {Uint8Array|null} [tableUuid] IcebergTable tableUuid
             * @property {string|null} [metadataLocation] IcebergTable metadataLocation
             * @property {Long|null} [currentSnapshotId] IcebergTable currentSnapshotId
             * @property {boolean|null} [purgeRequested] IcebergTable purgeRequested
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an IcebergTable.
             * @memberof firn.v1
             * @interface IIcebergTable
             * @augments firn.v1.IcebergTable.$Properties
             * @deprecated Use firn.v1.IcebergTable.$Properties instead.
             */

            /**
             * Shape of an IcebergTable.
             * @typedef {firn.v1.IcebergTable.$Properties} firn.v1.IcebergTable.$Shape
             */

            /**
             * Constructs a new IcebergTable.
             * @memberof firn.v1
             * @classdesc Represents an IcebergTable.
             * @constructor
             * @param {firn.v1.IcebergTable.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const IcebergTable = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * IcebergTable tableUuid.
             * @member {Uint8Array} tableUuid
             * @memberof firn.v1.IcebergTable
             * @instance
             */
            IcebergTable.prototype.tableUuid = $util.newBuffer([]);

            /**
             * IcebergTable metadataLocation.
             * @member {string} metadataLocation
             * @memberof firn.v1.IcebergTable
             * @instance
             */
            IcebergTable.prototype.metadataLocation = "";

            /**
             * IcebergTable currentSnapshotId.
             * @member {Long|null|undefined} currentSnapshotId
             * @memberof firn.v1.IcebergTable
             * @instance
             */
            IcebergTable.prototype.currentSnapshotId = null;

            /**
             * IcebergTable purgeRequested.
             * @member {boolean} purgeRequested
             * @memberof firn.v1.IcebergTable
             * @instance
             */
            IcebergTable.prototype.purgeRequested = false;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(IcebergTable.prototype, "_currentSnapshotId", {
                get: $util.oneOfGetter($oneOfFields = ["currentSnapshotId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new IcebergTable instance using the specified properties.
             * @function create
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {firn.v1.IcebergTable.$Properties=} [properties] Properties to set
             * @returns {firn.v1.IcebergTable} IcebergTable instance
             * @type {{
             *   (properties: firn.v1.IcebergTable.$Shape): firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape;
             *   (properties?: firn.v1.IcebergTable.$Properties): firn.v1.IcebergTable;
             * }}
             */
            IcebergTable.create = function(properties) {
                return new IcebergTable(properties);
            };

            /**
             * Encodes the specified IcebergTable message. Does not implicitly {@link firn.v1.IcebergTable.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {firn.v1.IcebergTable.$Properties} message IcebergTable message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            IcebergTable.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid") && message.tableUuid.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.tableUuid);
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation") && message.metadataLocation !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.metadataLocation);
                if (message.currentSnapshotId != null && $Object.hasOwnProperty.call(message, "currentSnapshotId"))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.currentSnapshotId);
                if (message.purgeRequested != null && $Object.hasOwnProperty.call(message, "purgeRequested") && message.purgeRequested !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.purgeRequested);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified IcebergTable message, length delimited. Does not implicitly {@link firn.v1.IcebergTable.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {firn.v1.IcebergTable.$Properties} message IcebergTable message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            IcebergTable.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes an IcebergTable message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape} IcebergTable
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            IcebergTable.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.IcebergTable();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.tableUuid = value;
                            else
                                delete message.tableUuid;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metadataLocation = value;
                            else
                                delete message.metadataLocation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.currentSnapshotId = reader.int64();
                            message._currentSnapshotId = "currentSnapshotId";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.purgeRequested = value;
                            else
                                delete message.purgeRequested;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes an IcebergTable message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.IcebergTable & firn.v1.IcebergTable.$Shape} IcebergTable
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            IcebergTable.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies an IcebergTable message.
             * @function verify
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            IcebergTable.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                let properties = {};
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid"))
                    if (!(message.tableUuid && typeof message.tableUuid.length === "number" || $util.isString(message.tableUuid)))
                        return "tableUuid: buffer expected";
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    if (!$util.isString(message.metadataLocation))
                        return "metadataLocation: string expected";
                if (message.currentSnapshotId != null && $Object.hasOwnProperty.call(message, "currentSnapshotId")) {
                    properties._currentSnapshotId = 1;
                    if (!$util.isInteger(message.currentSnapshotId) && !(message.currentSnapshotId && $util.isInteger(message.currentSnapshotId.low) && $util.isInteger(message.currentSnapshotId.high)))
                        return "currentSnapshotId: integer|Long expected";
                }
                if (message.purgeRequested != null && $Object.hasOwnProperty.call(message, "purgeRequested"))
                    if (typeof message.purgeRequested !== "boolean")
                        return "purgeRequested: boolean expected";
                return null;
            };

            /**
             * Creates an IcebergTable message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.IcebergTable} IcebergTable
             */
            IcebergTable.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.IcebergTable)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.IcebergTable: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.IcebergTable();
                if (object.tableUuid != null)
                    if (object.tableUuid.length)
                        if (typeof object.tableUuid === "string")
                            $util.base64.decode(object.tableUuid, message.tableUuid = $util.newBuffer($util.base64.length(object.tableUuid)), 0);
                        else if (object.tableUuid.length >= 0)
                            message.tableUuid = object.tableUuid;
                if (object.metadataLocation != null)
                    if (typeof object.metadataLocation !== "string" || object.metadataLocation.length)
                        message.metadataLocation = $String(object.metadataLocation);
                if (object.currentSnapshotId != null)
                    if ($util.Long)
                        message.currentSnapshotId = $util.Long.fromValue(object.currentSnapshotId, false);
                    else if (typeof object.currentSnapshotId === "string")
                        message.currentSnapshotId = $parseInt(object.currentSnapshotId, 10);
                    else if (typeof object.currentSnapshotId === "number")
                        message.currentSnapshotId = object.currentSnapshotId;
                    else if (typeof object.currentSnapshotId === "object")
                        message.currentSnapshotId = new $util.LongBits(object.currentSnapshotId.low >>> 0, object.currentSnapshotId.high >>> 0).toNumber();
                if (object.purgeRequested != null)
                    if (object.purgeRequested)
                        message.purgeRequested = $Boolean(object.purgeRequested);
                return message;
            };

            /**
             * Creates a plain object from an IcebergTable message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {firn.v1.IcebergTable} message IcebergTable
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            IcebergTable.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if (options.bytes === $String)
                        object.tableUuid = "";
                    else {
                        object.tableUuid = [];
                        if (options.bytes !== $Array)
                            object.tableUuid = $util.newBuffer(object.tableUuid);
                    }
                    object.metadataLocation = "";
                    object.purgeRequested = false;
                }
                if (message.tableUuid != null && $Object.hasOwnProperty.call(message, "tableUuid"))
                    object.tableUuid = options.bytes === $String ? $util.base64.encode(message.tableUuid, 0, message.tableUuid.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.tableUuid) : message.tableUuid;
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    object.metadataLocation = message.metadataLocation;
                if (message.currentSnapshotId != null && $Object.hasOwnProperty.call(message, "currentSnapshotId"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.currentSnapshotId = typeof message.currentSnapshotId === "number" ? $BigInt(message.currentSnapshotId) : $util.Long.fromBits(message.currentSnapshotId.low >>> 0, message.currentSnapshotId.high >>> 0, false).toBigInt();
                    else if (typeof message.currentSnapshotId === "number")
                        object.currentSnapshotId = options.longs === $String ? $String(message.currentSnapshotId) : message.currentSnapshotId;
                    else
                        object.currentSnapshotId = options.longs === $String ? $util.Long.prototype.toString.call(message.currentSnapshotId) : options.longs === $Number ? new $util.LongBits(message.currentSnapshotId.low >>> 0, message.currentSnapshotId.high >>> 0).toNumber() : message.currentSnapshotId;
                if (message.purgeRequested != null && $Object.hasOwnProperty.call(message, "purgeRequested"))
                    object.purgeRequested = message.purgeRequested;
                return object;
            };

            /**
             * Converts this IcebergTable to JSON.
             * @function toJSON
             * @memberof firn.v1.IcebergTable
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            IcebergTable.prototype.toJSON = function() {
                return IcebergTable.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for IcebergTable
             * @function getTypeUrl
             * @memberof firn.v1.IcebergTable
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            IcebergTable.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.IcebergTable";
            };

            return IcebergTable;
        })();

        v1.Column = (function() {

            /**
             * Properties of a Column.
             * @typedef {Object} firn.v1.Column.$Properties
             * @property {string|null} [name] Column name
             * @property {string|null} [type] Column type
             * @property {boolean|null} [nullable] Column nullable
             * @property {string|null} [comment] Column comment
             * @property {number|null} [fieldId] Column fieldId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Column.
             * @memberof firn.v1
             * @interface IColumn
             * @augments firn.v1.Column.$Properties
             * @deprecated Use firn.v1.Column.$Properties instead.
             */

            /**
             * Shape of a Column.
             * @typedef {firn.v1.Column.$Properties} firn.v1.Column.$Shape
             */

            /**
             * Constructs a new Column.
             * @memberof firn.v1
             * @classdesc Represents a Column.
             * @constructor
             * @param {firn.v1.Column.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Column = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Column name.
             * @member {string} name
             * @memberof firn.v1.Column
             * @instance
             */
            Column.prototype.name = "";

            /**
             * Column type.
             * @member {string} type
             * @memberof firn.v1.Column
             * @instance
             */
            Column.prototype.type = "";

            /**
             * Column nullable.
             * @member {boolean} nullable
             * @memberof firn.v1.Column
             * @instance
             */
            Column.prototype.nullable = false;

            /**
             * Column comment.
             * @member {string} comment
             * @memberof firn.v1.Column
             * @instance
             */
            Column.prototype.comment = "";

            /**
             * Column fieldId.
             * @member {number|null|undefined} fieldId
             * @memberof firn.v1.Column
             * @instance
             */
            Column.prototype.fieldId = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(Column.prototype, "_fieldId", {
                get: $util.oneOfGetter($oneOfFields = ["fieldId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new Column instance using the specified properties.
             * @function create
             * @memberof firn.v1.Column
             * @static
             * @param {firn.v1.Column.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Column} Column instance
             * @type {{
             *   (properties: firn.v1.Column.$Shape): firn.v1.Column & firn.v1.Column.$Shape;
             *   (properties?: firn.v1.Column.$Properties): firn.v1.Column;
             * }}
             */
            Column.create = function(properties) {
                return new Column(properties);
            };

            /**
             * Encodes the specified Column message. Does not implicitly {@link firn.v1.Column.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Column
             * @static
             * @param {firn.v1.Column.$Properties} message Column message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Column.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.type);
                if (message.nullable != null && $Object.hasOwnProperty.call(message, "nullable") && message.nullable !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.nullable);
                if (message.comment != null && $Object.hasOwnProperty.call(message, "comment") && message.comment !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.comment);
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId"))
                    writer.uint32(/* id 5, wireType 0 =*/40).int32(message.fieldId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Column message, length delimited. Does not implicitly {@link firn.v1.Column.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Column
             * @static
             * @param {firn.v1.Column.$Properties} message Column message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Column.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Column message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Column
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Column & firn.v1.Column.$Shape} Column
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Column.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Column();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.type = value;
                            else
                                delete message.type;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.nullable = value;
                            else
                                delete message.nullable;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.comment = value;
                            else
                                delete message.comment;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            message.fieldId = reader.int32();
                            message._fieldId = "fieldId";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Column message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Column
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Column & firn.v1.Column.$Shape} Column
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Column.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Column message.
             * @function verify
             * @memberof firn.v1.Column
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Column.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                let properties = {};
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                    if (!$util.isString(message.type))
                        return "type: string expected";
                if (message.nullable != null && $Object.hasOwnProperty.call(message, "nullable"))
                    if (typeof message.nullable !== "boolean")
                        return "nullable: boolean expected";
                if (message.comment != null && $Object.hasOwnProperty.call(message, "comment"))
                    if (!$util.isString(message.comment))
                        return "comment: string expected";
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId")) {
                    properties._fieldId = 1;
                    if (!$util.isInteger(message.fieldId))
                        return "fieldId: integer expected";
                }
                return null;
            };

            /**
             * Creates a Column message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Column
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Column} Column
             */
            Column.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Column)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Column: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Column();
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.type != null)
                    if (typeof object.type !== "string" || object.type.length)
                        message.type = $String(object.type);
                if (object.nullable != null)
                    if (object.nullable)
                        message.nullable = $Boolean(object.nullable);
                if (object.comment != null)
                    if (typeof object.comment !== "string" || object.comment.length)
                        message.comment = $String(object.comment);
                if (object.fieldId != null)
                    message.fieldId = object.fieldId | 0;
                return message;
            };

            /**
             * Creates a plain object from a Column message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Column
             * @static
             * @param {firn.v1.Column} message Column
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Column.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    object.name = "";
                    object.type = "";
                    object.nullable = false;
                    object.comment = "";
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                    object.type = message.type;
                if (message.nullable != null && $Object.hasOwnProperty.call(message, "nullable"))
                    object.nullable = message.nullable;
                if (message.comment != null && $Object.hasOwnProperty.call(message, "comment"))
                    object.comment = message.comment;
                if (message.fieldId != null && $Object.hasOwnProperty.call(message, "fieldId"))
                    object.fieldId = message.fieldId;
                return object;
            };

            /**
             * Converts this Column to JSON.
             * @function toJSON
             * @memberof firn.v1.Column
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Column.prototype.toJSON = function() {
                return Column.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Column
             * @function getTypeUrl
             * @memberof firn.v1.Column
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Column.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Column";
            };

            return Column;
        })();

        v1.Upstream = (function() {

            /**
             * Properties of an Upstream.
             * @typedef {Object} firn.v1.Upstream.$Properties
             * @property {Uint8Array|null} [connectorId] Upstream connectorId
             * @property {string|null} [uri] Upstream uri
             * @property {string|null} [path] Upstream path
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Upstream.
             * @memberof firn.v1
             * @interface IUpstream
             * @augments firn.v1.Upstream.$Properties
             * @deprecated Use firn.v1.Upstream.$Properties instead.
             */

            /**
             * Shape of an Upstream.
             * @typedef {firn.v1.Upstream.$Properties} firn.v1.Upstream.$Shape
             */

            /**
             * Constructs a new Upstream.
             * @memberof firn.v1
             * @classdesc Represents an Upstream.
             * @constructor
             * @param {firn.v1.Upstream.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Upstream = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Upstream connectorId.
             * @member {Uint8Array} connectorId
             * @memberof firn.v1.Upstream
             * @instance
             */
            Upstream.prototype.connectorId = $util.newBuffer([]);

            /**
             * Upstream uri.
             * @member {string} uri
             * @memberof firn.v1.Upstream
             * @instance
             */
            Upstream.prototype.uri = "";

            /**
             * Upstream path.
             * @member {string} path
             * @memberof firn.v1.Upstream
             * @instance
             */
            Upstream.prototype.path = "";

            /**
             * Creates a new Upstream instance using the specified properties.
             * @function create
             * @memberof firn.v1.Upstream
             * @static
             * @param {firn.v1.Upstream.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Upstream} Upstream instance
             * @type {{
             *   (properties: firn.v1.Upstream.$Shape): firn.v1.Upstream & firn.v1.Upstream.$Shape;
             *   (properties?: firn.v1.Upstream.$Properties): firn.v1.Upstream;
             * }}
             */
            Upstream.create = function(properties) {
                return new Upstream(properties);
            };

            /**
             * Encodes the specified Upstream message. Does not implicitly {@link firn.v1.Upstream.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Upstream
             * @static
             * @param {firn.v1.Upstream.$Properties} message Upstream message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Upstream.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.connectorId != null && $Object.hasOwnProperty.call(message, "connectorId") && message.connectorId.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.connectorId);
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri") && message.uri !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.uri);
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.path);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Upstream message, length delimited. Does not implicitly {@link firn.v1.Upstream.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Upstream
             * @static
             * @param {firn.v1.Upstream.$Properties} message Upstream message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Upstream.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes an Upstream message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Upstream
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Upstream & firn.v1.Upstream.$Shape} Upstream
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Upstream.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Upstream();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.connectorId = value;
                            else
                                delete message.connectorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.uri = value;
                            else
                                delete message.uri;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes an Upstream message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Upstream
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Upstream & firn.v1.Upstream.$Shape} Upstream
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Upstream.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies an Upstream message.
             * @function verify
             * @memberof firn.v1.Upstream
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Upstream.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.connectorId != null && $Object.hasOwnProperty.call(message, "connectorId"))
                    if (!(message.connectorId && typeof message.connectorId.length === "number" || $util.isString(message.connectorId)))
                        return "connectorId: buffer expected";
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri"))
                    if (!$util.isString(message.uri))
                        return "uri: string expected";
                if (message.path != null && $Object.hasOwnProperty.call(message, "path"))
                    if (!$util.isString(message.path))
                        return "path: string expected";
                return null;
            };

            /**
             * Creates an Upstream message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Upstream
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Upstream} Upstream
             */
            Upstream.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Upstream)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Upstream: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Upstream();
                if (object.connectorId != null)
                    if (object.connectorId.length)
                        if (typeof object.connectorId === "string")
                            $util.base64.decode(object.connectorId, message.connectorId = $util.newBuffer($util.base64.length(object.connectorId)), 0);
                        else if (object.connectorId.length >= 0)
                            message.connectorId = object.connectorId;
                if (object.uri != null)
                    if (typeof object.uri !== "string" || object.uri.length)
                        message.uri = $String(object.uri);
                if (object.path != null)
                    if (typeof object.path !== "string" || object.path.length)
                        message.path = $String(object.path);
                return message;
            };

            /**
             * Creates a plain object from an Upstream message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Upstream
             * @static
             * @param {firn.v1.Upstream} message Upstream
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Upstream.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if (options.bytes === $String)
                        object.connectorId = "";
                    else {
                        object.connectorId = [];
                        if (options.bytes !== $Array)
                            object.connectorId = $util.newBuffer(object.connectorId);
                    }
                    object.uri = "";
                    object.path = "";
                }
                if (message.connectorId != null && $Object.hasOwnProperty.call(message, "connectorId"))
                    object.connectorId = options.bytes === $String ? $util.base64.encode(message.connectorId, 0, message.connectorId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.connectorId) : message.connectorId;
                if (message.uri != null && $Object.hasOwnProperty.call(message, "uri"))
                    object.uri = message.uri;
                if (message.path != null && $Object.hasOwnProperty.call(message, "path"))
                    object.path = message.path;
                return object;
            };

            /**
             * Converts this Upstream to JSON.
             * @function toJSON
             * @memberof firn.v1.Upstream
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Upstream.prototype.toJSON = function() {
                return Upstream.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Upstream
             * @function getTypeUrl
             * @memberof firn.v1.Upstream
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Upstream.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Upstream";
            };

            return Upstream;
        })();

        v1.Table = (function() {

            /**
             * Properties of a Table.
             * @typedef {Object} firn.v1.Table.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] Table envelope
             * @property {string|null} [name] Table name
             * @property {string|null} [description] Table description
             * @property {Object.<string,string>|null} [properties] Table properties
             * @property {Long|null} [createdAtMs] Table createdAtMs
             * @property {firn.v1.EntityState|null} [state] Table state
             * @property {Uint8Array|null} [nameRevision] Table nameRevision
             * @property {boolean|null} ["protected"] Table protected
             * @property {Long|null} [purgeAfterMs] Table purgeAfterMs
             * @property {Uint8Array|null} [catalogId] Table catalogId
             * @property {Uint8Array|null} [namespaceId] Table namespaceId
             * @property {firn.v1.TableFormat|null} [format] Table format
             * @property {string|null} [location] Table location
             * @property {firn.v1.IcebergTable.$Properties|null} [iceberg] Table iceberg
             * @property {Array.<firn.v1.Column.$Properties>|null} [columns] Table columns
             * @property {Array.<string>|null} [partitionKeys] Table partitionKeys
             * @property {firn.v1.Upstream.$Properties|null} [upstream] Table upstream
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Table.
             * @memberof firn.v1
             * @interface ITable
             * @augments firn.v1.Table.$Properties
             * @deprecated Use firn.v1.Table.$Properties instead.
             */

            /**
             * Shape of a Table.
             * @typedef {firn.v1.Table.$Properties} firn.v1.Table.$Shape
             */

            /**
             * Constructs a new Table.
             * @memberof firn.v1
             * @classdesc Represents a Table.
             * @constructor
             * @param {firn.v1.Table.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Table = function (properties) {
                this.properties = {};
                this.columns = [];
                this.partitionKeys = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Table envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.envelope = null;

            /**
             * Table name.
             * @member {string} name
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.name = "";

            /**
             * Table description.
             * @member {string} description
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.description = "";

            /**
             * Table properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.properties = $util.emptyObject;

            /**
             * Table createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Table state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.state = 0;

            /**
             * Table nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.nameRevision = $util.newBuffer([]);

            /**
             * Table protected.
             * @member {boolean} protected
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype["protected"] = false;

            /**
             * Table purgeAfterMs.
             * @member {Long} purgeAfterMs
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.purgeAfterMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Table catalogId.
             * @member {Uint8Array} catalogId
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.catalogId = $util.newBuffer([]);

            /**
             * Table namespaceId.
             * @member {Uint8Array} namespaceId
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.namespaceId = $util.newBuffer([]);

            /**
             * Table format.
             * @member {firn.v1.TableFormat} format
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.format = 0;

            /**
             * Table location.
             * @member {string} location
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.location = "";

            /**
             * Table iceberg.
             * @member {firn.v1.IcebergTable.$Properties|null|undefined} iceberg
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.iceberg = null;

            /**
             * Table columns.
             * @member {Array.<firn.v1.Column.$Properties>} columns
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.columns = $util.emptyArray;

            /**
             * Table partitionKeys.
             * @member {Array.<string>} partitionKeys
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.partitionKeys = $util.emptyArray;

            /**
             * Table upstream.
             * @member {firn.v1.Upstream.$Properties|null|undefined} upstream
             * @memberof firn.v1.Table
             * @instance
             */
            Table.prototype.upstream = null;

            /**
             * Creates a new Table instance using the specified properties.
             * @function create
             * @memberof firn.v1.Table
             * @static
             * @param {firn.v1.Table.$Properties=} [properties] Properties to set
             * @returns {firn.v1.Table} Table instance
             * @type {{
             *   (properties: firn.v1.Table.$Shape): firn.v1.Table & firn.v1.Table.$Shape;
             *   (properties?: firn.v1.Table.$Properties): firn.v1.Table;
             * }}
             */
            Table.create = function(properties) {
                return new Table(properties);
            };

            /**
             * Encodes the specified Table message. Does not implicitly {@link firn.v1.Table.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.Table
             * @static
             * @param {firn.v1.Table.$Properties} message Table message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Table.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected") && message["protected"] !== false)
                    writer.uint32(/* id 8, wireType 0 =*/64).bool(message["protected"]);
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs") && (typeof message.purgeAfterMs === "object" ? message.purgeAfterMs.low || message.purgeAfterMs.high : message.purgeAfterMs !== 0))
                    writer.uint32(/* id 9, wireType 0 =*/72).int64(message.purgeAfterMs);
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId") && message.catalogId.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.catalogId);
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId") && message.namespaceId.length)
                    writer.uint32(/* id 11, wireType 2 =*/90).bytes(message.namespaceId);
                if (message.format != null && $Object.hasOwnProperty.call(message, "format") && message.format !== 0)
                    writer.uint32(/* id 12, wireType 0 =*/96).int32(message.format);
                if (message.location != null && $Object.hasOwnProperty.call(message, "location") && message.location !== "")
                    writer.uint32(/* id 13, wireType 2 =*/106).string(message.location);
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg"))
                    $root.firn.v1.IcebergTable.encode(message.iceberg, writer.uint32(/* id 14, wireType 2 =*/114).fork(), _depth + 1).ldelim();
                if (message.columns != null && message.columns.length)
                    for (let i = 0; i < message.columns.length; ++i)
                        $root.firn.v1.Column.encode(message.columns[i], writer.uint32(/* id 15, wireType 2 =*/122).fork(), _depth + 1).ldelim();
                if (message.partitionKeys != null && message.partitionKeys.length)
                    for (let i = 0; i < message.partitionKeys.length; ++i)
                        writer.uint32(/* id 16, wireType 2 =*/130).string(message.partitionKeys[i]);
                if (message.upstream != null && $Object.hasOwnProperty.call(message, "upstream"))
                    $root.firn.v1.Upstream.encode(message.upstream, writer.uint32(/* id 17, wireType 2 =*/138).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified Table message, length delimited. Does not implicitly {@link firn.v1.Table.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.Table
             * @static
             * @param {firn.v1.Table.$Properties} message Table message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Table.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a Table message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.Table
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.Table & firn.v1.Table.$Shape} Table
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Table.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.Table();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message["protected"] = value;
                            else
                                delete message["protected"];
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.purgeAfterMs = value;
                            else
                                delete message.purgeAfterMs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.catalogId = value;
                            else
                                delete message.catalogId;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.namespaceId = value;
                            else
                                delete message.namespaceId;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.format = value;
                            else
                                delete message.format;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.location = value;
                            else
                                delete message.location;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            message.iceberg = $root.firn.v1.IcebergTable.decode(reader, reader.size(), $undefined, _depth + 1, message.iceberg);
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            if (!(message.columns && message.columns.length))
                                message.columns = [];
                            message.columns.push($root.firn.v1.Column.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            if (!(message.partitionKeys && message.partitionKeys.length))
                                message.partitionKeys = [];
                            message.partitionKeys.push(reader.stringVerify());
                            continue;
                        }
                    case 17: {
                            if (wireType !== 2)
                                break;
                            message.upstream = $root.firn.v1.Upstream.decode(reader, reader.size(), $undefined, _depth + 1, message.upstream);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a Table message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.Table
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.Table & firn.v1.Table.$Shape} Table
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Table.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a Table message.
             * @function verify
             * @memberof firn.v1.Table
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            Table.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    if (typeof message["protected"] !== "boolean")
                        return "protected: boolean expected";
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (!$util.isInteger(message.purgeAfterMs) && !(message.purgeAfterMs && $util.isInteger(message.purgeAfterMs.low) && $util.isInteger(message.purgeAfterMs.high)))
                        return "purgeAfterMs: integer|Long expected";
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    if (!(message.catalogId && typeof message.catalogId.length === "number" || $util.isString(message.catalogId)))
                        return "catalogId: buffer expected";
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId"))
                    if (!(message.namespaceId && typeof message.namespaceId.length === "number" || $util.isString(message.namespaceId)))
                        return "namespaceId: buffer expected";
                if (message.format != null && $Object.hasOwnProperty.call(message, "format"))
                    if (typeof message.format !== "number" || (message.format | 0) !== message.format)
                        return "format: enum value expected";
                if (message.location != null && $Object.hasOwnProperty.call(message, "location"))
                    if (!$util.isString(message.location))
                        return "location: string expected";
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg")) {
                    let error = $root.firn.v1.IcebergTable.verify(message.iceberg, _depth + 1);
                    if (error)
                        return "iceberg." + error;
                }
                if (message.columns != null && $Object.hasOwnProperty.call(message, "columns")) {
                    if (!$Array.isArray(message.columns))
                        return "columns: array expected";
                    for (let i = 0; i < message.columns.length; ++i) {
                        let error = $root.firn.v1.Column.verify(message.columns[i], _depth + 1);
                        if (error)
                            return "columns." + error;
                    }
                }
                if (message.partitionKeys != null && $Object.hasOwnProperty.call(message, "partitionKeys")) {
                    if (!$Array.isArray(message.partitionKeys))
                        return "partitionKeys: array expected";
                    for (let i = 0; i < message.partitionKeys.length; ++i)
                        if (!$util.isString(message.partitionKeys[i]))
                            return "partitionKeys: string[] expected";
                }
                if (message.upstream != null && $Object.hasOwnProperty.call(message, "upstream")) {
                    let error = $root.firn.v1.Upstream.verify(message.upstream, _depth + 1);
                    if (error)
                        return "upstream." + error;
                }
                return null;
            };

            /**
             * Creates a Table message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.Table
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.Table} Table
             */
            Table.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.Table)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.Table: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.Table();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.Table.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.Table.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object["protected"] != null)
                    if (object["protected"])
                        message["protected"] = $Boolean(object["protected"]);
                if (object.purgeAfterMs != null)
                    if (typeof object.purgeAfterMs === "object" ? object.purgeAfterMs.low || object.purgeAfterMs.high : $Number(object.purgeAfterMs) !== 0)
                        if ($util.Long)
                            message.purgeAfterMs = $util.Long.fromValue(object.purgeAfterMs, false);
                        else if (typeof object.purgeAfterMs === "string")
                            message.purgeAfterMs = $parseInt(object.purgeAfterMs, 10);
                        else if (typeof object.purgeAfterMs === "number")
                            message.purgeAfterMs = object.purgeAfterMs;
                        else if (typeof object.purgeAfterMs === "object")
                            message.purgeAfterMs = new $util.LongBits(object.purgeAfterMs.low >>> 0, object.purgeAfterMs.high >>> 0).toNumber();
                if (object.catalogId != null)
                    if (object.catalogId.length)
                        if (typeof object.catalogId === "string")
                            $util.base64.decode(object.catalogId, message.catalogId = $util.newBuffer($util.base64.length(object.catalogId)), 0);
                        else if (object.catalogId.length >= 0)
                            message.catalogId = object.catalogId;
                if (object.namespaceId != null)
                    if (object.namespaceId.length)
                        if (typeof object.namespaceId === "string")
                            $util.base64.decode(object.namespaceId, message.namespaceId = $util.newBuffer($util.base64.length(object.namespaceId)), 0);
                        else if (object.namespaceId.length >= 0)
                            message.namespaceId = object.namespaceId;
                if (object.format !== 0 && (typeof object.format !== "string" || $root.firn.v1.TableFormat[object.format] !== 0))
                    switch (object.format) {
                    case "TABLE_FORMAT_UNSPECIFIED":
                    case 0:
                        message.format = 0;
                        break;
                    case "TABLE_FORMAT_ICEBERG":
                    case 1:
                        message.format = 1;
                        break;
                    case "TABLE_FORMAT_ROW":
                    case 2:
                        message.format = 2;
                        break;
                    case "TABLE_FORMAT_DELTA":
                    case 3:
                        message.format = 3;
                        break;
                    case "TABLE_FORMAT_HUDI":
                    case 4:
                        message.format = 4;
                        break;
                    case "TABLE_FORMAT_OTHER":
                    case 5:
                        message.format = 5;
                        break;
                    default:
                        if (typeof object.format === "number" && (object.format | 0) === object.format)
                            message.format = object.format;
                    }
                if (object.location != null)
                    if (typeof object.location !== "string" || object.location.length)
                        message.location = $String(object.location);
                if (object.iceberg != null) {
                    if (!$util.isObject(object.iceberg))
                        throw $TypeError(".firn.v1.Table.iceberg: object expected");
                    message.iceberg = $root.firn.v1.IcebergTable.fromObject(object.iceberg, _depth + 1);
                }
                if (object.columns) {
                    if (!$Array.isArray(object.columns))
                        throw $TypeError(".firn.v1.Table.columns: array expected");
                    message.columns = $Array(object.columns.length);
                    for (let i = 0; i < object.columns.length; ++i) {
                        if (!$util.isObject(object.columns[i]))
                            throw $TypeError(".firn.v1.Table.columns: object expected");
                        message.columns[i] = $root.firn.v1.Column.fromObject(object.columns[i], _depth + 1);
                    }
                }
                if (object.partitionKeys) {
                    if (!$Array.isArray(object.partitionKeys))
                        throw $TypeError(".firn.v1.Table.partitionKeys: array expected");
                    message.partitionKeys = $Array(object.partitionKeys.length);
                    for (let i = 0; i < object.partitionKeys.length; ++i)
                        message.partitionKeys[i] = $String(object.partitionKeys[i]);
                }
                if (object.upstream != null) {
                    if (!$util.isObject(object.upstream))
                        throw $TypeError(".firn.v1.Table.upstream: object expected");
                    message.upstream = $root.firn.v1.Upstream.fromObject(object.upstream, _depth + 1);
                }
                return message;
            };

            /**
             * Creates a plain object from a Table message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.Table
             * @static
             * @param {firn.v1.Table} message Table
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            Table.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults) {
                    object.columns = [];
                    object.partitionKeys = [];
                }
                if (options.objects || options.defaults)
                    object.properties = {};
                if (options.defaults) {
                    object.envelope = null;
                    object.name = "";
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    object["protected"] = false;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.purgeAfterMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.purgeAfterMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.catalogId = "";
                    else {
                        object.catalogId = [];
                        if (options.bytes !== $Array)
                            object.catalogId = $util.newBuffer(object.catalogId);
                    }
                    if (options.bytes === $String)
                        object.namespaceId = "";
                    else {
                        object.namespaceId = [];
                        if (options.bytes !== $Array)
                            object.namespaceId = $util.newBuffer(object.namespaceId);
                    }
                    object.format = options.enums === $String ? "TABLE_FORMAT_UNSPECIFIED" : 0;
                    object.location = "";
                    object.iceberg = null;
                    object.upstream = null;
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    object["protected"] = message["protected"];
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.purgeAfterMs = typeof message.purgeAfterMs === "number" ? $BigInt(message.purgeAfterMs) : $util.Long.fromBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0, false).toBigInt();
                    else if (typeof message.purgeAfterMs === "number")
                        object.purgeAfterMs = options.longs === $String ? $String(message.purgeAfterMs) : message.purgeAfterMs;
                    else
                        object.purgeAfterMs = options.longs === $String ? $util.Long.prototype.toString.call(message.purgeAfterMs) : options.longs === $Number ? new $util.LongBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0).toNumber() : message.purgeAfterMs;
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    object.catalogId = options.bytes === $String ? $util.base64.encode(message.catalogId, 0, message.catalogId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.catalogId) : message.catalogId;
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId"))
                    object.namespaceId = options.bytes === $String ? $util.base64.encode(message.namespaceId, 0, message.namespaceId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.namespaceId) : message.namespaceId;
                if (message.format != null && $Object.hasOwnProperty.call(message, "format"))
                    object.format = options.enums === $String ? $root.firn.v1.TableFormat[message.format] === $undefined ? message.format : $root.firn.v1.TableFormat[message.format] : message.format;
                if (message.location != null && $Object.hasOwnProperty.call(message, "location"))
                    object.location = message.location;
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg"))
                    object.iceberg = $root.firn.v1.IcebergTable.toObject(message.iceberg, options, _depth + 1);
                if (message.columns && message.columns.length) {
                    object.columns = $Array(message.columns.length);
                    for (let j = 0; j < message.columns.length; ++j)
                        object.columns[j] = $root.firn.v1.Column.toObject(message.columns[j], options, _depth + 1);
                }
                if (message.partitionKeys && message.partitionKeys.length) {
                    object.partitionKeys = $Array(message.partitionKeys.length);
                    for (let j = 0; j < message.partitionKeys.length; ++j)
                        object.partitionKeys[j] = message.partitionKeys[j];
                }
                if (message.upstream != null && $Object.hasOwnProperty.call(message, "upstream"))
                    object.upstream = $root.firn.v1.Upstream.toObject(message.upstream, options, _depth + 1);
                return object;
            };

            /**
             * Converts this Table to JSON.
             * @function toJSON
             * @memberof firn.v1.Table
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            Table.prototype.toJSON = function() {
                return Table.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for Table
             * @function getTypeUrl
             * @memberof firn.v1.Table
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Table.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.Table";
            };

            return Table;
        })();

        v1.IcebergView = (function() {

            /**
             * Properties of an IcebergView.
             * @typedef {Object} firn.v1.IcebergView.$Properties
             * @property {Uint8Array|null} [viewUuid] IcebergView viewUuid
             * @property {string|null} [metadataLocation] IcebergView metadataLocation
             * @property {number|null} [currentVersionId] IcebergView currentVersionId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an IcebergView.
             * @memberof firn.v1
             * @interface IIcebergView
             * @augments firn.v1.IcebergView.$Properties
             * @deprecated Use firn.v1.IcebergView.$Properties instead.
             */

            /**
             * Shape of an IcebergView.
             * @typedef {firn.v1.IcebergView.$Properties} firn.v1.IcebergView.$Shape
             */

            /**
             * Constructs a new IcebergView.
             * @memberof firn.v1
             * @classdesc Represents an IcebergView.
             * @constructor
             * @param {firn.v1.IcebergView.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const IcebergView = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * IcebergView viewUuid.
             * @member {Uint8Array} viewUuid
             * @memberof firn.v1.IcebergView
             * @instance
             */
            IcebergView.prototype.viewUuid = $util.newBuffer([]);

            /**
             * IcebergView metadataLocation.
             * @member {string} metadataLocation
             * @memberof firn.v1.IcebergView
             * @instance
             */
            IcebergView.prototype.metadataLocation = "";

            /**
             * IcebergView currentVersionId.
             * @member {number} currentVersionId
             * @memberof firn.v1.IcebergView
             * @instance
             */
            IcebergView.prototype.currentVersionId = 0;

            /**
             * Creates a new IcebergView instance using the specified properties.
             * @function create
             * @memberof firn.v1.IcebergView
             * @static
             * @param {firn.v1.IcebergView.$Properties=} [properties] Properties to set
             * @returns {firn.v1.IcebergView} IcebergView instance
             * @type {{
             *   (properties: firn.v1.IcebergView.$Shape): firn.v1.IcebergView & firn.v1.IcebergView.$Shape;
             *   (properties?: firn.v1.IcebergView.$Properties): firn.v1.IcebergView;
             * }}
             */
            IcebergView.create = function(properties) {
                return new IcebergView(properties);
            };

            /**
             * Encodes the specified IcebergView message. Does not implicitly {@link firn.v1.IcebergView.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.IcebergView
             * @static
             * @param {firn.v1.IcebergView.$Properties} message IcebergView message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            IcebergView.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.viewUuid != null && $Object.hasOwnProperty.call(message, "viewUuid") && message.viewUuid.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.viewUuid);
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation") && message.metadataLocation !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.metadataLocation);
                if (message.currentVersionId != null && $Object.hasOwnProperty.call(message, "currentVersionId") && message.currentVersionId !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.currentVersionId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified IcebergView message, length delimited. Does not implicitly {@link firn.v1.IcebergView.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.IcebergView
             * @static
             * @param {firn.v1.IcebergView.$Properties} message IcebergView message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            IcebergView.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes an IcebergView message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.IcebergView
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.IcebergView & firn.v1.IcebergView.$Shape} IcebergView
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            IcebergView.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.IcebergView();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.viewUuid = value;
                            else
                                delete message.viewUuid;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metadataLocation = value;
                            else
                                delete message.metadataLocation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.currentVersionId = value;
                            else
                                delete message.currentVersionId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes an IcebergView message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.IcebergView
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.IcebergView & firn.v1.IcebergView.$Shape} IcebergView
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            IcebergView.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies an IcebergView message.
             * @function verify
             * @memberof firn.v1.IcebergView
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            IcebergView.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.viewUuid != null && $Object.hasOwnProperty.call(message, "viewUuid"))
                    if (!(message.viewUuid && typeof message.viewUuid.length === "number" || $util.isString(message.viewUuid)))
                        return "viewUuid: buffer expected";
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    if (!$util.isString(message.metadataLocation))
                        return "metadataLocation: string expected";
                if (message.currentVersionId != null && $Object.hasOwnProperty.call(message, "currentVersionId"))
                    if (!$util.isInteger(message.currentVersionId))
                        return "currentVersionId: integer expected";
                return null;
            };

            /**
             * Creates an IcebergView message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.IcebergView
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.IcebergView} IcebergView
             */
            IcebergView.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.IcebergView)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.IcebergView: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.IcebergView();
                if (object.viewUuid != null)
                    if (object.viewUuid.length)
                        if (typeof object.viewUuid === "string")
                            $util.base64.decode(object.viewUuid, message.viewUuid = $util.newBuffer($util.base64.length(object.viewUuid)), 0);
                        else if (object.viewUuid.length >= 0)
                            message.viewUuid = object.viewUuid;
                if (object.metadataLocation != null)
                    if (typeof object.metadataLocation !== "string" || object.metadataLocation.length)
                        message.metadataLocation = $String(object.metadataLocation);
                if (object.currentVersionId != null)
                    if ($Number(object.currentVersionId) !== 0)
                        message.currentVersionId = object.currentVersionId | 0;
                return message;
            };

            /**
             * Creates a plain object from an IcebergView message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.IcebergView
             * @static
             * @param {firn.v1.IcebergView} message IcebergView
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            IcebergView.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.defaults) {
                    if (options.bytes === $String)
                        object.viewUuid = "";
                    else {
                        object.viewUuid = [];
                        if (options.bytes !== $Array)
                            object.viewUuid = $util.newBuffer(object.viewUuid);
                    }
                    object.metadataLocation = "";
                    object.currentVersionId = 0;
                }
                if (message.viewUuid != null && $Object.hasOwnProperty.call(message, "viewUuid"))
                    object.viewUuid = options.bytes === $String ? $util.base64.encode(message.viewUuid, 0, message.viewUuid.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.viewUuid) : message.viewUuid;
                if (message.metadataLocation != null && $Object.hasOwnProperty.call(message, "metadataLocation"))
                    object.metadataLocation = message.metadataLocation;
                if (message.currentVersionId != null && $Object.hasOwnProperty.call(message, "currentVersionId"))
                    object.currentVersionId = message.currentVersionId;
                return object;
            };

            /**
             * Converts this IcebergView to JSON.
             * @function toJSON
             * @memberof firn.v1.IcebergView
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            IcebergView.prototype.toJSON = function() {
                return IcebergView.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for IcebergView
             * @function getTypeUrl
             * @memberof firn.v1.IcebergView
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            IcebergView.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.IcebergView";
            };

            return IcebergView;
        })();

        v1.View = (function() {

            /**
             * Properties of a View.
             * @typedef {Object} firn.v1.View.$Properties
             * @property {firn.v1.Envelope.$Properties|null} [envelope] View envelope
             * @property {string|null} [name] View name
             * @property {string|null} [description] View description
             * @property {Object.<string,string>|null} [properties] View properties
             * @property {Long|null} [createdAtMs] View createdAtMs
             * @property {firn.v1.EntityState|null} [state] View state
             * @property {Uint8Array|null} [nameRevision] View nameRevision
             * @property {boolean|null} ["protected"] View protected
             * @property {Long|null} [purgeAfterMs] View purgeAfterMs
             * @property {Uint8Array|null} [catalogId] View catalogId
             * @property {Uint8Array|null} [namespaceId] View namespaceId
             * @property {string|null} [location] View location
             * @property {firn.v1.IcebergView.$Properties|null} [iceberg] View iceberg
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a View.
             * @memberof firn.v1
             * @interface IView
             * @augments firn.v1.View.$Properties
             * @deprecated Use firn.v1.View.$Properties instead.
             */

            /**
             * Shape of a View.
             * @typedef {firn.v1.View.$Properties} firn.v1.View.$Shape
             */

            /**
             * Constructs a new View.
             * @memberof firn.v1
             * @classdesc Represents a View.
             * @constructor
             * @param {firn.v1.View.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const View = function (properties) {
                this.properties = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * View envelope.
             * @member {firn.v1.Envelope.$Properties|null|undefined} envelope
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.envelope = null;

            /**
             * View name.
             * @member {string} name
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.name = "";

            /**
             * View description.
             * @member {string} description
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.description = "";

            /**
             * View properties.
             * @member {Object.<string,string>} properties
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.properties = $util.emptyObject;

            /**
             * View createdAtMs.
             * @member {Long} createdAtMs
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * View state.
             * @member {firn.v1.EntityState} state
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.state = 0;

            /**
             * View nameRevision.
             * @member {Uint8Array} nameRevision
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.nameRevision = $util.newBuffer([]);

            /**
             * View protected.
             * @member {boolean} protected
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype["protected"] = false;

            /**
             * View purgeAfterMs.
             * @member {Long} purgeAfterMs
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.purgeAfterMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * View catalogId.
             * @member {Uint8Array} catalogId
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.catalogId = $util.newBuffer([]);

            /**
             * View namespaceId.
             * @member {Uint8Array} namespaceId
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.namespaceId = $util.newBuffer([]);

            /**
             * View location.
             * @member {string} location
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.location = "";

            /**
             * View iceberg.
             * @member {firn.v1.IcebergView.$Properties|null|undefined} iceberg
             * @memberof firn.v1.View
             * @instance
             */
            View.prototype.iceberg = null;

            /**
             * Creates a new View instance using the specified properties.
             * @function create
             * @memberof firn.v1.View
             * @static
             * @param {firn.v1.View.$Properties=} [properties] Properties to set
             * @returns {firn.v1.View} View instance
             * @type {{
             *   (properties: firn.v1.View.$Shape): firn.v1.View & firn.v1.View.$Shape;
             *   (properties?: firn.v1.View.$Properties): firn.v1.View;
             * }}
             */
            View.create = function(properties) {
                return new View(properties);
            };

            /**
             * Encodes the specified View message. Does not implicitly {@link firn.v1.View.verify|verify} messages.
             * @function encode
             * @memberof firn.v1.View
             * @static
             * @param {firn.v1.View.$Properties} message View message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            View.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    $root.firn.v1.Envelope.encode(message.envelope, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.description != null && $Object.hasOwnProperty.call(message, "description") && message.description !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.description);
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties"))
                    for (let keys = $Object.keys(message.properties), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.properties[keys[i]]).ldelim();
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.createdAtMs);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision") && message.nameRevision.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.nameRevision);
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected") && message["protected"] !== false)
                    writer.uint32(/* id 8, wireType 0 =*/64).bool(message["protected"]);
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs") && (typeof message.purgeAfterMs === "object" ? message.purgeAfterMs.low || message.purgeAfterMs.high : message.purgeAfterMs !== 0))
                    writer.uint32(/* id 9, wireType 0 =*/72).int64(message.purgeAfterMs);
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId") && message.catalogId.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.catalogId);
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId") && message.namespaceId.length)
                    writer.uint32(/* id 11, wireType 2 =*/90).bytes(message.namespaceId);
                if (message.location != null && $Object.hasOwnProperty.call(message, "location") && message.location !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.location);
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg"))
                    $root.firn.v1.IcebergView.encode(message.iceberg, writer.uint32(/* id 13, wireType 2 =*/106).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Encodes the specified View message, length delimited. Does not implicitly {@link firn.v1.View.verify|verify} messages.
             * @function encodeDelimited
             * @memberof firn.v1.View
             * @static
             * @param {firn.v1.View.$Properties} message View message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            View.encodeDelimited = function(message, writer) {
                return this.encode(message, (writer || $Writer.create()).fork()).ldelim();
            };

            /**
             * Decodes a View message from the specified reader or buffer.
             * @function decode
             * @memberof firn.v1.View
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {firn.v1.View & firn.v1.View.$Shape} View
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            View.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.firn.v1.View();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.envelope = $root.firn.v1.Envelope.decode(reader, reader.size(), $undefined, _depth + 1, message.envelope);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.description = value;
                            else
                                delete message.description;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.properties === $util.emptyObject)
                                message.properties = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.properties, key);
                            message.properties[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.nameRevision = value;
                            else
                                delete message.nameRevision;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message["protected"] = value;
                            else
                                delete message["protected"];
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.purgeAfterMs = value;
                            else
                                delete message.purgeAfterMs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.catalogId = value;
                            else
                                delete message.catalogId;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.namespaceId = value;
                            else
                                delete message.namespaceId;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.location = value;
                            else
                                delete message.location;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            message.iceberg = $root.firn.v1.IcebergView.decode(reader, reader.size(), $undefined, _depth + 1, message.iceberg);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Decodes a View message from the specified reader or buffer, length delimited.
             * @function decodeDelimited
             * @memberof firn.v1.View
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @returns {firn.v1.View & firn.v1.View.$Shape} View
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            View.decodeDelimited = function(reader) {
                if (!(reader instanceof $Reader))
                    reader = new $Reader(reader);
                return this.decode(reader, reader.size());
            };

            /**
             * Verifies a View message.
             * @function verify
             * @memberof firn.v1.View
             * @static
             * @param {Object.<string,*>} message Plain object to verify
             * @returns {string|null} `null` if valid, otherwise the reason why it is not
             */
            View.verify = function (message, _depth) {
                if (typeof message !== "object" || message === null)
                    return "object expected";
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    return "max depth exceeded";
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope")) {
                    let error = $root.firn.v1.Envelope.verify(message.envelope, _depth + 1);
                    if (error)
                        return "envelope." + error;
                }
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    if (!$util.isString(message.name))
                        return "name: string expected";
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    if (!$util.isString(message.description))
                        return "description: string expected";
                if (message.properties != null && $Object.hasOwnProperty.call(message, "properties")) {
                    if (!$util.isObject(message.properties))
                        return "properties: object expected";
                    let key = $Object.keys(message.properties);
                    for (let i = 0; i < key.length; ++i)
                        if (!$util.isString(message.properties[key[i]]))
                            return "properties: string{k:string} expected";
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (!$util.isInteger(message.createdAtMs) && !(message.createdAtMs && $util.isInteger(message.createdAtMs.low) && $util.isInteger(message.createdAtMs.high)))
                        return "createdAtMs: integer|Long expected";
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    if (typeof message.state !== "number" || (message.state | 0) !== message.state)
                        return "state: enum value expected";
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    if (!(message.nameRevision && typeof message.nameRevision.length === "number" || $util.isString(message.nameRevision)))
                        return "nameRevision: buffer expected";
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    if (typeof message["protected"] !== "boolean")
                        return "protected: boolean expected";
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (!$util.isInteger(message.purgeAfterMs) && !(message.purgeAfterMs && $util.isInteger(message.purgeAfterMs.low) && $util.isInteger(message.purgeAfterMs.high)))
                        return "purgeAfterMs: integer|Long expected";
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    if (!(message.catalogId && typeof message.catalogId.length === "number" || $util.isString(message.catalogId)))
                        return "catalogId: buffer expected";
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId"))
                    if (!(message.namespaceId && typeof message.namespaceId.length === "number" || $util.isString(message.namespaceId)))
                        return "namespaceId: buffer expected";
                if (message.location != null && $Object.hasOwnProperty.call(message, "location"))
                    if (!$util.isString(message.location))
                        return "location: string expected";
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg")) {
                    let error = $root.firn.v1.IcebergView.verify(message.iceberg, _depth + 1);
                    if (error)
                        return "iceberg." + error;
                }
                return null;
            };

            /**
             * Creates a View message from a plain object. Also converts values to their respective internal types.
             * @function fromObject
             * @memberof firn.v1.View
             * @static
             * @param {Object.<string,*>} object Plain object
             * @returns {firn.v1.View} View
             */
            View.fromObject = function (object, _depth) {
                if (object instanceof $root.firn.v1.View)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".firn.v1.View: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.firn.v1.View();
                if (object.envelope != null) {
                    if (!$util.isObject(object.envelope))
                        throw $TypeError(".firn.v1.View.envelope: object expected");
                    message.envelope = $root.firn.v1.Envelope.fromObject(object.envelope, _depth + 1);
                }
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.description != null)
                    if (typeof object.description !== "string" || object.description.length)
                        message.description = $String(object.description);
                if (object.properties) {
                    if (!$util.isObject(object.properties))
                        throw $TypeError(".firn.v1.View.properties: object expected");
                    message.properties = {};
                    for (let keys = $Object.keys(object.properties), i = 0; i < keys.length; ++i) {
                        if (keys[i] === "__proto__")
                            $util.makeProp(message.properties, keys[i]);
                        message.properties[keys[i]] = $String(object.properties[keys[i]]);
                    }
                }
                if (object.createdAtMs != null)
                    if (typeof object.createdAtMs === "object" ? object.createdAtMs.low || object.createdAtMs.high : $Number(object.createdAtMs) !== 0)
                        if ($util.Long)
                            message.createdAtMs = $util.Long.fromValue(object.createdAtMs, false);
                        else if (typeof object.createdAtMs === "string")
                            message.createdAtMs = $parseInt(object.createdAtMs, 10);
                        else if (typeof object.createdAtMs === "number")
                            message.createdAtMs = object.createdAtMs;
                        else if (typeof object.createdAtMs === "object")
                            message.createdAtMs = new $util.LongBits(object.createdAtMs.low >>> 0, object.createdAtMs.high >>> 0).toNumber();
                if (object.state !== 0 && (typeof object.state !== "string" || $root.firn.v1.EntityState[object.state] !== 0))
                    switch (object.state) {
                    case "ENTITY_STATE_UNSPECIFIED":
                    case 0:
                        message.state = 0;
                        break;
                    case "ENTITY_STATE_ACTIVE":
                    case 1:
                        message.state = 1;
                        break;
                    case "ENTITY_STATE_DELETING":
                    case 2:
                        message.state = 2;
                        break;
                    case "ENTITY_STATE_DROPPED":
                    case 3:
                        message.state = 3;
                        break;
                    case "ENTITY_STATE_PURGING":
                    case 4:
                        message.state = 4;
                        break;
                    default:
                        if (typeof object.state === "number" && (object.state | 0) === object.state)
                            message.state = object.state;
                    }
                if (object.nameRevision != null)
                    if (object.nameRevision.length)
                        if (typeof object.nameRevision === "string")
                            $util.base64.decode(object.nameRevision, message.nameRevision = $util.newBuffer($util.base64.length(object.nameRevision)), 0);
                        else if (object.nameRevision.length >= 0)
                            message.nameRevision = object.nameRevision;
                if (object["protected"] != null)
                    if (object["protected"])
                        message["protected"] = $Boolean(object["protected"]);
                if (object.purgeAfterMs != null)
                    if (typeof object.purgeAfterMs === "object" ? object.purgeAfterMs.low || object.purgeAfterMs.high : $Number(object.purgeAfterMs) !== 0)
                        if ($util.Long)
                            message.purgeAfterMs = $util.Long.fromValue(object.purgeAfterMs, false);
                        else if (typeof object.purgeAfterMs === "string")
                            message.purgeAfterMs = $parseInt(object.purgeAfterMs, 10);
                        else if (typeof object.purgeAfterMs === "number")
                            message.purgeAfterMs = object.purgeAfterMs;
                        else if (typeof object.purgeAfterMs === "object")
                            message.purgeAfterMs = new $util.LongBits(object.purgeAfterMs.low >>> 0, object.purgeAfterMs.high >>> 0).toNumber();
                if (object.catalogId != null)
                    if (object.catalogId.length)
                        if (typeof object.catalogId === "string")
                            $util.base64.decode(object.catalogId, message.catalogId = $util.newBuffer($util.base64.length(object.catalogId)), 0);
                        else if (object.catalogId.length >= 0)
                            message.catalogId = object.catalogId;
                if (object.namespaceId != null)
                    if (object.namespaceId.length)
                        if (typeof object.namespaceId === "string")
                            $util.base64.decode(object.namespaceId, message.namespaceId = $util.newBuffer($util.base64.length(object.namespaceId)), 0);
                        else if (object.namespaceId.length >= 0)
                            message.namespaceId = object.namespaceId;
                if (object.location != null)
                    if (typeof object.location !== "string" || object.location.length)
                        message.location = $String(object.location);
                if (object.iceberg != null) {
                    if (!$util.isObject(object.iceberg))
                        throw $TypeError(".firn.v1.View.iceberg: object expected");
                    message.iceberg = $root.firn.v1.IcebergView.fromObject(object.iceberg, _depth + 1);
                }
                return message;
            };

            /**
             * Creates a plain object from a View message. Also converts values to other types if specified.
             * @function toObject
             * @memberof firn.v1.View
             * @static
             * @param {firn.v1.View} message View
             * @param {$protobuf.IConversionOptions} [options] Conversion options
             * @returns {Object.<string,*>} Plain object
             */
            View.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.objects || options.defaults)
                    object.properties = {};
                if (options.defaults) {
                    object.envelope = null;
                    object.name = "";
                    object.description = "";
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.createdAtMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.createdAtMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.state = options.enums === $String ? "ENTITY_STATE_UNSPECIFIED" : 0;
                    if (options.bytes === $String)
                        object.nameRevision = "";
                    else {
                        object.nameRevision = [];
                        if (options.bytes !== $Array)
                            object.nameRevision = $util.newBuffer(object.nameRevision);
                    }
                    object["protected"] = false;
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, false);
                        object.purgeAfterMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.purgeAfterMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    if (options.bytes === $String)
                        object.catalogId = "";
                    else {
                        object.catalogId = [];
                        if (options.bytes !== $Array)
                            object.catalogId = $util.newBuffer(object.catalogId);
                    }
                    if (options.bytes === $String)
                        object.namespaceId = "";
                    else {
                        object.namespaceId = [];
                        if (options.bytes !== $Array)
                            object.namespaceId = $util.newBuffer(object.namespaceId);
                    }
                    object.location = "";
                    object.iceberg = null;
                }
                if (message.envelope != null && $Object.hasOwnProperty.call(message, "envelope"))
                    object.envelope = $root.firn.v1.Envelope.toObject(message.envelope, options, _depth + 1);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.description != null && $Object.hasOwnProperty.call(message, "description"))
                    object.description = message.description;
                let keys2;
                if (message.properties && (keys2 = $Object.keys(message.properties)).length) {
                    object.properties = {};
                    for (let j = 0; j < keys2.length; ++j) {
                        if (keys2[j] === "__proto__")
                            $util.makeProp(object.properties, keys2[j]);
                        object.properties[keys2[j]] = message.properties[keys2[j]];
                    }
                }
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.createdAtMs = typeof message.createdAtMs === "number" ? $BigInt(message.createdAtMs) : $util.Long.fromBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0, false).toBigInt();
                    else if (typeof message.createdAtMs === "number")
                        object.createdAtMs = options.longs === $String ? $String(message.createdAtMs) : message.createdAtMs;
                    else
                        object.createdAtMs = options.longs === $String ? $util.Long.prototype.toString.call(message.createdAtMs) : options.longs === $Number ? new $util.LongBits(message.createdAtMs.low >>> 0, message.createdAtMs.high >>> 0).toNumber() : message.createdAtMs;
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    object.state = options.enums === $String ? $root.firn.v1.EntityState[message.state] === $undefined ? message.state : $root.firn.v1.EntityState[message.state] : message.state;
                if (message.nameRevision != null && $Object.hasOwnProperty.call(message, "nameRevision"))
                    object.nameRevision = options.bytes === $String ? $util.base64.encode(message.nameRevision, 0, message.nameRevision.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.nameRevision) : message.nameRevision;
                if (message["protected"] != null && $Object.hasOwnProperty.call(message, "protected"))
                    object["protected"] = message["protected"];
                if (message.purgeAfterMs != null && $Object.hasOwnProperty.call(message, "purgeAfterMs"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.purgeAfterMs = typeof message.purgeAfterMs === "number" ? $BigInt(message.purgeAfterMs) : $util.Long.fromBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0, false).toBigInt();
                    else if (typeof message.purgeAfterMs === "number")
                        object.purgeAfterMs = options.longs === $String ? $String(message.purgeAfterMs) : message.purgeAfterMs;
                    else
                        object.purgeAfterMs = options.longs === $String ? $util.Long.prototype.toString.call(message.purgeAfterMs) : options.longs === $Number ? new $util.LongBits(message.purgeAfterMs.low >>> 0, message.purgeAfterMs.high >>> 0).toNumber() : message.purgeAfterMs;
                if (message.catalogId != null && $Object.hasOwnProperty.call(message, "catalogId"))
                    object.catalogId = options.bytes === $String ? $util.base64.encode(message.catalogId, 0, message.catalogId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.catalogId) : message.catalogId;
                if (message.namespaceId != null && $Object.hasOwnProperty.call(message, "namespaceId"))
                    object.namespaceId = options.bytes === $String ? $util.base64.encode(message.namespaceId, 0, message.namespaceId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.namespaceId) : message.namespaceId;
                if (message.location != null && $Object.hasOwnProperty.call(message, "location"))
                    object.location = message.location;
                if (message.iceberg != null && $Object.hasOwnProperty.call(message, "iceberg"))
                    object.iceberg = $root.firn.v1.IcebergView.toObject(message.iceberg, options, _depth + 1);
                return object;
            };

            /**
             * Converts this View to JSON.
             * @function toJSON
             * @memberof firn.v1.View
             * @instance
             * @returns {Object.<string,*>} JSON object
             */
            View.prototype.toJSON = function() {
                return View.toObject(this, $protobuf.util.toJSONOptions);
            };

            /**
             * Gets the type url for View
             * @function getTypeUrl
             * @memberof firn.v1.View
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            View.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/firn.v1.View";
            };

            return View;
        })();

        return v1;
    })();

    return firn;
})();

export {
  $root as default
};
