/** Status codes for script requests. The ones for passkey refusals are in `pages/passkey-form.ts`. */
export const ceremonyErrorStatus = {
  'signed-out': 401,
  'form-token-invalid': 403,
  'form-from-elsewhere': 403,
  'account-gone': 422,
  'account-disabled': 403,
  'request-malformed': 400,
  'data-away': 503,
  fault: 500,
} as const
export type CeremonyErrorReason = keyof typeof ceremonyErrorStatus
