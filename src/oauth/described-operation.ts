import type { ObjectSchema, Schema } from '../http/json-schema.ts'

/** An endpoint's OpenAPI description, with the schemas that also validate its requests and responses. */
export interface DescribedOperation {
  path: string
  method: 'get' | 'post'
  operationId: string
  summary: string
  /** Query parameters, if the request has no body. */
  query?: ObjectSchema<unknown>
  /** Body, accepted as a form or as JSON. */
  body?: Schema
  /** OpenAPI security requirements: any one of them suffices. Empty if none is needed. */
  security?: readonly Record<string, string[]>[]
  responses: Record<string, { description: string; schema?: Schema; headers?: Record<string, string> }>
}
