import { t } from '../../../pages/html.ts'

export const generatorWords = {
  stateHint: t`Returned unchanged. Use a new unguessable value for each sign-in.`,
  skipHint: t.html`Other users return with <code>error=consent_required</code>.`,
}
