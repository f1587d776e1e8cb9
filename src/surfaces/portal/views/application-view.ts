import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log.ts'
import type { Tone } from '../../../pages/components/notice.ts'
import type { Text } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { ApplicationInput, FieldErrors } from '../application-fields.ts'
import type { UrlChoices } from '../authorization-url.ts'
import type { DescribedScope } from './scope-choices.ts'

/** The data of an application's overview. */
export interface ApplicationView {
  person: Person
  application: OwnedApplication
  nowMs: number
  baseUrl: string
  /** Set only in the response that created the secret. */
  clearTextSecret?: { clearText: string; because: 'registered' | 'rotated' | 'added' }
  done?: { tone: Tone; body: Text }
  /** The settings form's input. Differs from the application if a change was refused. */
  input: ApplicationInput
  errors: FieldErrors
  scopes: readonly DescribedScope[]
  choices: UrlChoices
  /** The application's usage. `undefined` if no user has granted access. */
  usage: Usage | undefined
  failedInAWeek: number
}
