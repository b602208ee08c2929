// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two walks: over the program's declarations, for where a name that is taken first stands; then
// over all that follows, libraries too, for what has the name as well and is not the program's to
// rename.

#include "TakenNames.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace clang;

namespace ikra {

namespace {

/// What <cuda_runtime.h> and the headers that it and ikra/generated.hpp include, libstdc++'s
/// <math.h> among them, declare at file scope, and ikra/ikra.hpp does not. Vector types such as
/// float3 are not listed, nor are the functions that make them, nor the twins of functions for long
/// double and for types such as _Float32.
constexpr llvm::StringLiteral Names =
    "acos acosf acosh acoshf all any asin asinf asinh asinhf assoc_laguerre assoc_laguerref "
    "assoc_legendre assoc_legendref atan atan2 atan2f atanf atanh atanhf atomicAdd "
    "atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system atomicCAS "
    "atomicCAS_block atomicCAS_system atomicDec atomicDec_block atomicDec_system atomicExch "
    "atomicExch_block atomicExch_system atomicInc atomicInc_block atomicInc_system "
    "atomicMax atomicMax_block atomicMax_system atomicMin atomicMin_block atomicMin_system "
    "atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block atomicSub_system "
    "atomicXor atomicXor_block atomicXor_system ballot basename bcmp bcopy beta betaf "
    "blockDim blockIdx bzero canonicalize canonicalizef cbrt cbrtf ceil ceilf clock64 "
    "comp_ellint_1 comp_ellint_1f comp_ellint_2 comp_ellint_2f comp_ellint_3 comp_ellint_3f "
    "copysign copysignf cos cosf cosh coshf cospi cospif cyl_bessel_i cyl_bessel_i0 "
    "cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f cyl_bessel_if cyl_bessel_j cyl_bessel_jf "
    "cyl_bessel_k cyl_bessel_kf cyl_neumann cyl_neumannf dadd ddivl dfmal dim3 dmul "
    "double2int double2ll double2uint double2ull double_t drem dremf dsqrtl dsub ellint_1 "
    "ellint_1f ellint_2 ellint_2f ellint_3 ellint_3f erf erfc erfcf erfcinv erfcinvf erfcx "
    "erfcxf erff erfinv erfinvf exp exp10 exp10f exp2 exp2f expf expint expintf "
    "explicit_bzero expm1 expm1f fabs fabsf fadd fdim fdimf fdiv fdivide fdividef ffma ffs "
    "finite finitef float2double float_t floor floorf fma fmaf fmax fmaxf fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_mag_numf fmaximum_magf fmaximum_num "
    "fmaximum_numf fmaximumf fmaxmag fmaxmagf fmin fminf fminimum fminimum_mag "
    "fminimum_mag_num fminimum_mag_numf fminimum_magf fminimum_num fminimum_numf fminimumf "
    "fminmag fminmagf fmod fmodf fmul fpclassify frexp frexpf fromfp fromfpf fromfpx "
    "fromfpxf fsqrt fsub gamma gammaf getpayload getpayloadf gridDim hermite hermitef hypot "
    "hypotf ilogb ilogbf index int2double iscanonical iseqsig isfinite isgreater "
    "isgreaterequal isinf isinff isinfl isless islessequal islessgreater isnan isnanf "
    "isnanl isnormal issignaling isunordered iszero j0 j0f j1 j1f jn jnf laguerre laguerref "
    "ldexp ldexpf legendre legendref lerp lgamma lgamma_r lgammaf lgammaf_r lgammal_r "
    "libraryPropertyType libraryPropertyType_t ll2double llmax llmin llogb llogbf llrint "
    "llrintf llround llroundf log log10 log10f log1p log1pf log2 log2f logb logbf logf "
    "lrint lrintf lround lroundf make_cudaExtent make_cudaPitchedPtr make_cudaPos max "
    "memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset min modf "
    "modff nan nanf nearbyint nearbyintf nextafter nextafterf nextdown nextdownf nexttoward "
    "nexttowardf nextup nextupf norm norm3d norm3df norm4d norm4df normcdf normcdff "
    "normcdfinv normcdfinvf normf pow powf rawmemchr rcbrt rcbrtf remainder remainderf "
    "remquo remquof rhypot rhypotf riemann_zeta riemann_zetaf rindex rint rintf rnorm "
    "rnorm3d rnorm3df rnorm4d rnorm4df rnormf round roundeven roundevenf roundf rsqrt "
    "rsqrtf scalb scalbf scalbln scalblnf scalbn scalbnf setpayload setpayloadf "
    "setpayloadsig setpayloadsigf sigabbrev_np sigdescr_np signbit signgam significand "
    "significandf sin sincos sincosf sincospi sincospif sinf sinh sinhf sinpi sinpif "
    "sph_bessel sph_besself sph_legendre sph_legendref sph_neumann sph_neumannf sqrt sqrtf "
    "stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp "
    "strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np "
    "strerrorname_np strfry strlen strncasecmp strncasecmp_l strncat strncmp strncpy "
    "strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r "
    "strverscmp strxfrm strxfrm_l surf1DLayeredread surf1DLayeredwrite surf1Dread "
    "surf1Dwrite surf2DLayeredread surf2DLayeredwrite surf2Dread surf2Dwrite surf3Dread "
    "surf3Dwrite surfCubemapLayeredread surfCubemapLayeredwrite surfCubemapread "
    "surfCubemapwrite syncthreads_and syncthreads_count syncthreads_or tan tanf tanh tanhf "
    "tex1D tex1DGrad tex1DLayered tex1DLayeredGrad tex1DLayeredLod tex1DLod tex1Dfetch "
    "tex2D tex2DGrad tex2DLayered tex2DLayeredGrad tex2DLayeredLod tex2DLod tex2Dgather "
    "tex3D tex3DGrad tex3DLod texCubemap texCubemapGrad texCubemapLayered "
    "texCubemapLayeredGrad texCubemapLayeredLod texCubemapLod tgamma tgammaf threadIdx "
    "totalorder totalorderf totalordermag totalordermagf trunc truncf ufromfp ufromfpf "
    "ufromfpx ufromfpxf uint2double ull2double ullmax ullmin umax umin warpSize y0 y0f y1 "
    "y1f yn ynf ";

/// float3, uchar4, double4_16a; and make_float3.
bool isVectorType(llvm::StringRef Name) {
  Name.consume_front("make_");
  if (!Name.consume_back("_16a"))
    Name.consume_back("_32a");
  if (Name.empty() || Name.back() < '1' || Name.back() > '4')
    return false;
  const llvm::StringRef Element = Name.drop_back();
  return llvm::is_contained({"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                             "longlong", "ulonglong", "float", "double"},
                            Element);
}

bool isTaken(llvm::StringRef Name) {
  static const llvm::StringSet<> Known = [] {
    llvm::SmallVector<llvm::StringRef> Words;
    Names.split(Words, ' ', -1, /*KeepEmpty=*/false);
    llvm::StringSet<> Out;
    for (llvm::StringRef Word : Words)
      Out.insert(Word);
    return Out;
  }();
  return isVectorType(Name) || Known.contains(Name);
}

bool isOfProgram(const Decl* D) {
  const SourceManager& SM = D->getASTContext().getSourceManager();
  return D->getLocation().isValid() && !SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())) &&
         !isInIkra(D);
}

llvm::StringRef nameOf(const NamedDecl* D) { return D->getIdentifier() ? D->getName() : ""; }

/// Functions overload each other unless their parameters are alike; those that are taken have
/// numbers.
bool mayCoexist(const NamedDecl* D) {
  if (isa<FunctionTemplateDecl>(D))
    return true;
  const auto* Function = dyn_cast<FunctionDecl>(D);
  return Function != nullptr &&
         (Function->isExternC() || Function->param_empty() ||
          !llvm::all_of(Function->parameters(), [](const ParmVarDecl* Parameter) {
            return Parameter->getType()->isArithmeticType() &&
                   !Parameter->getType()->isEnumeralType();
          }));
}

/// The program's declarations at file scope whose names are taken.
class FileScope {
public:
  void addAll(const DeclContext* Scope) {
    if (!Seen.insert(Scope).second)
      return;
    for (const Decl* D : Scope->decls())
      if (isOfProgram(D))
        add(D);
  }

  std::map<std::string, const NamedDecl*> Found; ///< the first of each name

private:
  void add(const Decl* D) {
    if (const auto* Language = dyn_cast<LinkageSpecDecl>(D))
      return addAll(Language);
    if (const auto* Directive = dyn_cast<UsingDirectiveDecl>(D)) {
      if (isOfProgram(Directive->getNominatedNamespace()))
        for (const NamespaceDecl* Part : Directive->getNominatedNamespace()->redecls())
          addAll(Part);
      return;
    }
    if (const auto* Using = dyn_cast<UsingDecl>(D)) {
      for (const UsingShadowDecl* Shadow : Using->shadows())
        if (isOfProgram(Shadow->getTargetDecl()))
          add(Shadow->getTargetDecl());
      return;
    }
    if (const auto* Names = dyn_cast<EnumDecl>(D); Names && !Names->isScoped())
      for (const EnumConstantDecl* Enumerator : Names->enumerators())
        addNamed(Enumerator);
    if (const auto* Space = dyn_cast<NamespaceDecl>(D);
        Space && (Space->isAnonymousNamespace() || Space->isInline()))
      return addAll(Space);
    if (const auto* Named = dyn_cast<NamedDecl>(D))
      addNamed(Named);
  }

  void addNamed(const NamedDecl* D) {
    if (isTaken(nameOf(D)) && !mayCoexist(D))
      Found.emplace(nameOf(D).str(), D);
  }

  std::set<const DeclContext*> Seen;
};

/// Tells of declarations, and of what is named elsewhere, in one declaration at file scope.
class NameFinder final : public AstVisitor {
public:
  /// Called with each declaration.
  std::function<void(const NamedDecl*)> Declared;
  /// Called with each name that is used, and what it stands for; null where that depends on a
  /// template's parameters.
  std::function<void(llvm::StringRef, const NamedDecl*)> Used;

  bool VisitNamedDecl(NamedDecl* D) override {
    Declared(D);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* E) override { return use(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr* E) override { return use(E->getMemberDecl()); }
  bool VisitOverloadExpr(OverloadExpr* E) override {
    for (const NamedDecl* D : E->decls())
      use(D->getUnderlyingDecl());
    return use(E->getName());
  }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* E) override {
    return use(E->getMember());
  }
  bool VisitDependentScopeDeclRefExpr(DependentScopeDeclRefExpr* E) override {
    return use(E->getDeclName());
  }
  bool VisitUsingDecl(UsingDecl* D) override {
    for (const UsingShadowDecl* Shadow : D->shadows())
      use(Shadow->getTargetDecl());
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc T) override { return use(T.getTypedefNameDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc T) override { return use(T.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc T) override {
    return use(T.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }
  bool VisitDependentNameTypeLoc(DependentNameTypeLoc T) override {
    Used(T.getTypePtr()->getIdentifier()->getName(), nullptr);
    return true;
  }

private:
  bool use(const NamedDecl* D) const {
    if (D != nullptr)
      Used(nameOf(D), D);
    return true;
  }
  bool use(DeclarationName Name) const {
    if (const IdentifierInfo* Identifier = Name.getAsIdentifierInfo())
      Used(Identifier->getName(), nullptr);
    return true;
  }
};

} // namespace

std::vector<TakenName> findTakenNames(ASTContext& Context, Diagnoser& Diags) {
  FileScope Scope;
  Scope.addAll(Context.getTranslationUnitDecl());
  if (Scope.Found.empty())
    return {};

  struct Declared {
    std::size_t Order; ///< of the declaration at file scope
    SourceLocation At;
    std::string Foreign; ///< what else has the name after that place
  };
  std::map<std::string, Declared> FirstDeclared;
  const std::vector<Decl*> All(Context.getTranslationUnitDecl()->decls_begin(),
                               Context.getTranslationUnitDecl()->decls_end());

  for (std::size_t Order = 0; Order < All.size(); ++Order) {
    if (!isOfProgram(All[Order]))
      continue;
    NameFinder Finder;
    Finder.Used = [](llvm::StringRef, const NamedDecl*) {};
    Finder.Declared = [&](const NamedDecl* D) {
      if (const std::string Name = nameOf(D).str(); Scope.Found.contains(Name))
        FirstDeclared.try_emplace(Name, Declared{Order, All[Order]->getBeginLoc(), ""});
    };
    Finder.TraverseDecl(All[Order]);
  }

  for (std::size_t Order = 0; Order < All.size(); ++Order) {
    NameFinder Finder;
    const auto Meet = [&](llvm::StringRef Name, const NamedDecl* D) {
      const auto Met = FirstDeclared.find(Name.str());
      if (Met == FirstDeclared.end() || Order < Met->second.Order || !Met->second.Foreign.empty() ||
          (D != nullptr && isOfProgram(D)))
        return;
      Met->second.Foreign = D != nullptr ? D->getQualifiedNameAsString() : Name.str();
    };
    Finder.Used = Meet;
    Finder.Declared = [&](const NamedDecl* D) { Meet(nameOf(D), D); };
    Finder.TraverseDecl(All[Order]);
  }

  const SourceManager& SM = Context.getSourceManager();
  std::vector<TakenName> Out;
  std::vector<std::pair<const NamedDecl*, std::string>> Kept;
  for (const auto& [Name, Where] : FirstDeclared) {
    if (Name == "index") // of ikra::index, which emitted code names everywhere
      Kept.emplace_back(Scope.Found[Name], "ikra::index");
    else if (!Where.Foreign.empty())
      Kept.emplace_back(Scope.Found[Name], Where.Foreign);
    else
      Out.push_back({Name, SM.getExpansionLoc(Where.At)});
  }
  llvm::sort(Kept, [&](const auto& A, const auto& B) {
    return SM.isBeforeInTranslationUnit(A.first->getLocation(), B.first->getLocation());
  });
  for (const auto& [Declaration, Foreign] : Kept)
    Diags.report(Declaration->getLocation(), Diag::taken_name) << nameOf(Declaration) << Foreign;
  return Out;
}

} // namespace ikra
