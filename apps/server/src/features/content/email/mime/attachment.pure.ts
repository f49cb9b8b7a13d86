/** A file of a mail. `contentId`: under which name its HTML shows it (`cid:…`); null for one that is only attached. */
export type Attachment = { name: string; contentType: string; content: Buffer; contentId: string | null };

/** Endings of files that systems run, or that mail services refuse because they hide such files. */
const PROGRAMS = new Set(
  (
    "ade adp apk app appimage appx appxbundle bas bat bin cab chm cmd com command cpl crt deb diagcab dll dmg elf exe gadget hlp hta " +
    "img inf ins iso isp jar jnlp js jse ksh lib lnk mde msc msi msix msixbundle msp mst nsh osx pif pkg ps1 ps1xml ps2 psc1 psc2 " +
    "psm1 pyc pyz reg rpm run scf scr sct settingcontent-ms sh shb shs swf sys vb vbe vbs vbscript vhd vhdx vxd website wsc wsf wsh xbap xll"
  ).split(" "),
);
const PROGRAM_TYPES =
  /^(?:application\/(?:x-ms(?:download|dos-program|i|-shortcut|-installer|-dos-executable|-application)|x-(?:dosexec|executable|elf|sh|csh|bat|msdos-program|sharedlib|mach-binary|iso9660-image|apple-diskimage|java-archive|java-applet|javascript|vbscript|powershell|shockwave-flash|rpm|debian-package)|vnd\.microsoft\.portable-executable|vnd\.android\.package-archive|vnd\.debian\.binary-package|hta|java-archive|java-vm|javascript|ecmascript)|text\/(?:javascript|ecmascript|vbscript|x-sh|x-shellscript|x-powershell)|message\/.{1,100}|multipart\/.{1,100})$/;
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,80}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}$/;
const PARAMETER = /^[a-z0-9-]{1,40}=(?:[\w.+:/-]{1,80}|"[\w .+:/-]{1,80}")$/i;
const MAX_PARAMETERS = 4;
const NAME_CONTROLS = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const MAX_NAME = 200;
const CONTENT_ID = /^[\w.+-]{1,100}(?:@[\w.-]{1,100})?$/;

/** The type without its parameters, in small letters. */
const bareType = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

const isType = (contentType: string): boolean => {
  const [, ...parameters] = contentType.split(";");
  return (
    TYPE.test(bareType(contentType)) &&
    parameters.length <= MAX_PARAMETERS &&
    parameters.every((each) => PARAMETER.test(each.trim()))
  );
};

/** Why the headers of a file could not be written, or null: its name, its type, its content id. */
export function attachmentFormFault({ name, contentType, contentId }: Attachment): string | null {
  if (name.trim() === "" || name.length > MAX_NAME) return `must have a name of 1 to ${MAX_NAME} characters`;
  if (NAME_CONTROLS.test(name)) return "must have a name without control characters";
  if (/[/\\]/.test(name) || /^\.{1,2}$/.test(name)) return "must have a name without a path";
  if (!isType(contentType)) return "must have a content type such as application/pdf";
  return contentId === null || CONTENT_ID.test(contentId)
    ? null
    : "must have a content id of letters, digits and . _ + - with at most one @";
}

/**
 * Why a file may not be sent, or null: the end of a sentence about it. Programs are refused by the ending of their name and by their type.
 * Archives are not looked into, and neither is the content.
 */
export function attachmentFault(attachment: Attachment): string | null {
  const form = attachmentFormFault(attachment);
  if (form !== null) return form;
  // Windows leaves blanks and dots at the end of a name out, and reads what is behind a colon as another stream.
  const name =
    attachment.name
      .toLowerCase()
      .split(":", 1)[0]
      ?.replace(/[. ]{1,200}$/, "") ?? "";
  const ending = /\.([^.]{1,30})$/.exec(name)?.[1]?.trim();
  if (ending !== undefined && PROGRAMS.has(ending)) return `must not be a program: .${ending}`;
  const type = bareType(attachment.contentType);
  return PROGRAM_TYPES.test(type) ? `must not be of the type ${type}` : null;
}
