import type { Environment } from '../../../domain/applications/redirect-uri.ts'
import { tag } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'
import { fieldWords } from '../../../http/words/portal.ts'

export const environmentNames = fieldWords.environments

export function environmentTag(environment: Environment): Html {
  return tag(environmentNames[environment])
}
