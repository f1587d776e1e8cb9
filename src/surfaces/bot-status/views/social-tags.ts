import { type Html, html, type Text } from '../../../pages/html.ts'

export interface SocialTags {
  title: Text
  description: Text
  /** Absolute, like the image's URL, because programs that read these tags don't resolve relative URLs. */
  url: string
  picture: { url: string; words: Text; width: number; height: number }
}

/** Renders the tags that chat programs and social networks use for link previews (Open Graph, and X's variant). */
export function socialTags({ title, description, url, picture }: SocialTags): Html {
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Gatehouse">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${picture.url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${picture.width}">
<meta property="og:image:height" content="${picture.height}">
<meta property="og:image:alt" content="${picture.words}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<meta name="twitter:image" content="${picture.url}">
<meta name="twitter:image:alt" content="${picture.words}">`
}
