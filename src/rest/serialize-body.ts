import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { Schema } from '../http/json-schema.ts'

type Serializer = (body: unknown) => string
const serializers = new WeakMap<Schema, Serializer>()

/**
 * Serializes only the members that the schema names, so that no other value in a record can leak. Compiles each schema
 * when its first body is serialized.
 */
export const serializerCompiler: FastifySerializerCompiler<Schema> =
  ({ schema }) =>
  (body) => {
    const serialize = serializers.get(schema) ?? (build(schema) as Serializer)
    serializers.set(schema, serialize)
    return serialize(body)
  }
