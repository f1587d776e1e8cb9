export interface CeremonyError {
  status: number
  /** Shown in the page by its script. */
  message: string
}

/** What only these requests can meet beside the refusals of passkeys, see `http/passkey-errors.ts`. */
export const ceremonyErrors = {
  'signed-out': { status: 401, message: 'You are signed out. Sign in and try again.' },
  'form-token-invalid': { status: 403, message: 'This page is out of date. Reload it and try again.' },
  'form-from-elsewhere': { status: 403, message: 'Another site sent this. Open the page here and try again.' },
  'account-gone': { status: 422, message: 'The account of this passkey is not there any more. Use another one.' },
  'request-malformed': {
    status: 400,
    message: 'What the browser sent can not be read. Reload the page and try again.',
  },
  'data-away': { status: 503, message: 'The service can not reach its data right now. Wait a moment and try again.' },
  fault: { status: 500, message: 'Something failed on our side. Try again in a moment.' },
} as const satisfies Record<string, CeremonyError>
