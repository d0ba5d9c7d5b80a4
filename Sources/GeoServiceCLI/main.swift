import GeoService
import Glibc

// A client that goes away must not end the process.
signal(SIGPIPE, SIG_IGN)
// Nor must a limit on the size of files: the write that meets it fails, and says so.
signal(SIGXFSZ, SIG_IGN)

let arguments = Array(CommandLine.arguments.dropFirst())
// The service starts itself to decode pictures; this is no command for people.
if arguments.first == PictureDecoder.command { exit(PictureDecoder.run(arguments)) }
exit(Command.run(arguments))
