import type { ObjectSchema, Schema } from '../http/json-schema.ts'

/** One endpoint as its surface's contract describes it for OpenAPI, by the schemas that validate and answer. */
export interface DescribedOperation {
  path: string
  method: 'get' | 'post'
  operationId: string
  summary: string
  /** Query parameters, when the request is an address. */
  query?: ObjectSchema<unknown>
  /** Body, taken as form and as JSON alike. */
  body?: Schema
  /** OpenAPI security requirements: any one of them suffices. */
  security?: readonly Record<string, string[]>[]
  responses: Record<string, { description: string; schema?: Schema; headers?: Record<string, string> }>
}
