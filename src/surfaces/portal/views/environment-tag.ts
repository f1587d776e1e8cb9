import type { Environment } from '../../../domain/applications/redirect-uri.ts'
import { tag } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'

export const environmentNames: Record<Environment, string> = { production: 'Production', development: 'Development' }

export function environmentTag(environment: Environment): Html {
  return tag(environmentNames[environment])
}
