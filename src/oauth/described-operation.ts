import type { TObject, TSchema } from 'typebox'

/** An endpoint's description for OpenAPI, with the schemas that also validate its requests and responses. */
export interface DescribedOperation {
  path: string
  method: 'get' | 'post'
  operationId: string
  summary: string
  /** Query parameters, for requests without a body. */
  query?: TObject
  /** Body, accepted as form and as JSON. */
  body?: TSchema
  /** OpenAPI security requirements: any one of them suffices. */
  security?: readonly Record<string, string[]>[]
  responses: Record<string, { description: string; schema?: TSchema; headers?: Record<string, string> }>
}
