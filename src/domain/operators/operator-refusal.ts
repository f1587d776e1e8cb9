import { Refusal } from '../refusal.ts'

export type OperatorRefusalReason = 'name-missing' | 'name-too-long' | 'keys-too-many'

/** Thrown when a named operator key can't be created. */
export class OperatorRefusal extends Refusal<OperatorRefusalReason> {}
