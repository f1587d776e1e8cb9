import { type Text, t, type Words } from '../html.ts'

/** Most specific first, because a `User-Agent` also names the browsers from which its own is derived. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bCriOS\/|\bChrome\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, Words])[] = [
  [/\biPhone\b/, t`on an iPhone`],
  [/\biPad\b/, t`on an iPad`],
  [/\bAndroid\b/, t`on Android`],
  [/\bCrOS\b/, t`on ChromeOS`],
  [/\bWindows\b/, t`on Windows`],
  [/\bMacintosh\b/, t`on a Mac`],
  [/\bLinux\b/, t`on Linux`],
]

/** Describes a `User-Agent`, such as “Firefox on Windows”: a guess that helps users recognize a session. */
export function browserWords(userAgent: string | null): Text {
  if (userAgent === null) return t`Unknown browser`
  const browser = browsers.find(([form]) => form.test(userAgent))?.[1]
  const system = systems.find(([form]) => form.test(userAgent))?.[1]
  if (system === undefined) return browser ?? t`Unknown browser`
  return t`${browser ?? t`A browser`} ${system}`
}
