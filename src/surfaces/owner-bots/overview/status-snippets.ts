import { codeSample } from '../../../pages/components/code-sample.ts'
import { type Html, html } from '../../../pages/html.ts'
import { statusBadgeWords } from './words.ts'

export interface SnippetOf {
  baseUrl: string
  /** Stays the same wherever the bot is kept, so the addresses that others keep are made of it. */
  chatPlatformId: string
  botName: string
}

/** What owners paste into a README or a website, in English as the badge is: it leads to the status page. */
export function statusSnippets({ baseUrl, chatPlatformId, botName }: SnippetOf): { markdown: string; html: string } {
  const page = `${baseUrl}/botstatus/${chatPlatformId}`
  const badge = `${page}/badge.svg`
  const words = `Status of ${botName}`
  return {
    // Whatever Markdown would read as its own in a name is escaped.
    markdown: `[![${words.replace(/[\\[\]`*_<>!]/g, '\\$&')}](${badge})](${page})`,
    html: html`<a href="${page}"><img src="${badge}" alt="${words}" height="20"></a>`.in('en'),
  }
}

/** The snippets, one shown at a time. */
export function statusSnippetSample(of: SnippetOf): Html {
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
