import type { Environment } from '../../../domain/applications/redirect-uri.ts'
import { tag } from '../../../pages/components/notice.ts'
import type { Html } from '../../../pages/html.ts'
import { fieldWords } from '../words/application-form.ts'

export const environmentNames = fieldWords.environments

export function environmentTag(environment: Environment): Html {
  return tag(environmentNames[environment])
}
