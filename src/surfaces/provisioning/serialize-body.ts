import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'

type Serialize = (body: unknown) => string

const serializers = new WeakMap<TSchema, Serialize>()

/** Writes the members that the schema names and no others. A serializer is compiled by its first answer, not at start. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> =
  ({ schema }) =>
  (body) => {
    let serialize = serializers.get(schema)
    if (serialize === undefined) {
      serialize = build(schema) as Serialize
      serializers.set(schema, serialize)
    }
    return serialize(body)
  }
