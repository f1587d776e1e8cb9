import type { ObjectSchema, Schema } from '../http/json-schema.ts'

/** An endpoint's description for OpenAPI, with the schemas that also validate its requests and responses. */
export interface DescribedOperation {
  path: string
  method: 'get' | 'post'
  operationId: string
  summary: string
  /** Query parameters, for requests without a body. */
  query?: ObjectSchema<unknown>
  /** Body, accepted as form and as JSON. */
  body?: Schema
  /** OpenAPI security requirements: any one of them suffices. */
  security?: readonly Record<string, string[]>[]
  responses: Record<string, { description: string; schema?: Schema; headers?: Record<string, string> }>
}
