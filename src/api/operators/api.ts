import type { Operator } from '../../domain/operators/operator-keys.ts'
import { apiAt } from '../engine/api.ts'

/** Declares calls for holders of an operator key. */
export const api = apiAt<Operator>({ prefix: '/v1' })
