import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { oncePerSchema } from './once-per-schema.ts'

const serializerOf = oncePerSchema((schema) => build(schema) as (body: unknown) => string)

/** Serializes only the members that the schema names, so that no other value of a record can leak. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> =
  ({ schema }) =>
  (body) =>
    serializerOf(schema)(body)
