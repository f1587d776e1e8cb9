import { codeSample } from '../../../pages/components/copy-field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { statusBadgeWords } from './words.ts'

export interface SnippetSource {
  baseUrl: string
  /** Used in published URLs, because the chat platform assigns it. The bot ID is specific to this service. */
  chatPlatformId: string
  botName: string
}

/** Returns snippets for a README and for a website. They are in English, as the badge is. */
export function statusSnippets({ baseUrl, chatPlatformId, botName }: SnippetSource): {
  markdown: string
  html: string
} {
  const page = `${baseUrl}/botstatus/${chatPlatformId}`
  const badge = `${page}/badge.svg`
  const words = `Status of ${botName}`
  return {
    // Escapes Markdown syntax in the name.
    markdown: `[![${words.replace(/[\\[\]`*_<>!]/g, '\\$&')}](${badge})](${page})`,
    html: html`<a href="${page}"><img src="${badge}" alt="${words}" height="20"></a>`.in('en'),
  }
}

/** Renders the snippets as tabs. */
export function statusSnippetSample(of: SnippetSource): Html {
  const snippets = statusSnippets(of)
  return codeSample({
    name: 'status-snippet',
    title: statusBadgeWords,
    samples: [
      { language: 'Markdown', code: snippets.markdown },
      { language: 'HTML', code: snippets.html },
    ],
  })
}
