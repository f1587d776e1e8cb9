import { Refusal } from '../refusal.ts'

export type OperatorRefusalReason = 'name-missing' | 'name-too-long' | 'keys-too-many'

/** A named operator key that can't be created. */
export class OperatorRefusal extends Refusal<OperatorRefusalReason> {}
