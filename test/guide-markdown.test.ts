import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lexer } from 'marked'
import { html } from '../src/pages/html.ts'
import { outlineOf, publishedText, withReaderValues } from '../src/surfaces/guides/guide-book.ts'
import { renderBlocks } from '../src/surfaces/guides/render-markdown.ts'

const service = {
  baseUrl: 'https://id.test',
  apiUrl: 'https://hooks.test',
  portalUrl: 'https://dev.test',
  version: '1.2.3',
}

function rendered(markdown: string): string {
  const rendering = { ids: new Map(), hrefOf: (target: string) => target }
  return html`${renderBlocks(lexer(markdown), rendering)}`.in('en').trim()
}

test('our choice: raw HTML in paragraphs, tables and code is shown as text', () => {
  assert.equal(rendered('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
  assert.equal(rendered('a <img src=x onerror=alert(1)> b'), '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>')
  assert.equal(rendered('`<b>` & "c"'), '<p><code>&lt;b&gt;</code> &amp; &quot;c&quot;</p>')
  assert.equal(rendered('```html\n<i>\n```'), '<pre tabindex="0"><code>&lt;i&gt;</code></pre>')
  assert.doesNotMatch(rendered('| <b>a</b> |\n|---|\n| <svg onload=x> |'), /<b>|<svg/)
})

test('our choice: in a guide, a link to an https: or http: URL or to this host is kept; any other link becomes its text', () => {
  for (const target of ['https://a.test/b', 'http://a.test', '#part', '/guides/webhooks']) {
    assert.equal(rendered(`[text](${target})`), `<p><a href="${target}">text</a></p>`)
  }
  for (const target of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    '//a.test',
    '/\\a.test',
    'x.md',
  ]) {
    assert.equal(rendered(`[text](<${target}>)`), '<p>text</p>', target)
  }
  assert.equal(rendered('![text](https://a.test/b.png)'), '<p>![text](https://a.test/b.png)</p>')
})

test('our choice: links between guide files become links between published guides, and a link to any other file becomes its text', () => {
  const source = [
    '[Webhooks](../webhooks.md#duplicates), [`arctic`](arctic.md), [a test](../../test/run.ts), [part](#part)',
    '```ts\nlist[0](arctic.md) // {api_url}\n```',
  ].join('\n\n')
  assert.equal(
    publishedText(source, 'docs/integrate/README.md', service, () => ''),
    [
      '[Webhooks](https://dev.test/guides/webhooks.md#duplicates), [`arctic`](https://dev.test/guides/arctic.md), a test, [part](#part)',
      '```ts\nlist[0](arctic.md) // https://hooks.test\n```',
    ].join('\n\n'),
  )
})

test('our choice: a placeholder stays unchanged if its value is unknown', () => {
  const text = '{client_id} {botId}/{path}'
  assert.equal(withReaderValues(text, {}), text)
  assert.equal(withReaderValues(text, { botId: 'lantern' }), '{client_id} lantern/{path}')
  // A variable in a JavaScript template literal is not a placeholder.
  const template = `\`$${'{path}'}\``
  assert.equal(withReaderValues(template, { path: 'a' }), template)
  // `$&` is special in replacement strings, so it must be inserted literally.
  assert.equal(withReaderValues(text, { clientId: 'svc_ci_$&', path: 'a' }), 'svc_ci_$& {botId}/a')
})

test('our choice: a guide’s headings get the same fragments as on GitHub', () => {
  const parts = outlineOf(
    lexer('# Title\n\n## 6. Re-connect\n\n## State, PKCE and `iss`\n\n### Notes\n\n### Notes\n\na'),
  )
  assert.deepEqual(
    parts.map(({ id, text }) => [id, text]),
    [
      ['', ''],
      ['6-re-connect', ''],
      ['state-pkce-and-iss', ''],
      ['notes', ''],
      ['notes-1', 'a'],
    ],
  )
})
