import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'

/** Writes the members that the schema names and no others. A serializer is compiled by its first answer, not at start. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  let serialize: ((body: unknown) => string) | undefined
  return (body) => {
    serialize ??= build(schema)
    return serialize(body)
  }
}
